# Signed ranks and sign flips: wilcox.test (exact without ties; normal without continuity
# correction, ties averaged, zeros dropped), the psignrank table, full sign-flip enumeration.
source("save.R")
set.seed(11)

untied <- lapply(c(1, 3, 5, 6, 9, 12, 20, 33, 49), function(n) {
  D <- round(rnorm(n, .3), 4)
  stopifnot(!anyDuplicated(abs(D)), all(D != 0))
  p <- function(alt) wilcox.test(D, exact = TRUE, alternative = alt)$p.value
  asym <- wilcox.test(D, exact = FALSE, correct = FALSE)
  list(D = I(D), V = unname(asym$statistic), exact = p("two.sided"), greater = p("greater"),
       less = p("less"), asymptotic = asym$p.value)
})

tied <- lapply(c(5, 8, 15, 30, 100, 400), function(n) {
  D <- sample(c(-1, -.5, -.25, 0, 0, .25, .5, .75, 1), n, TRUE)
  f <- function(correct, alt) {
    suppressWarnings(wilcox.test(D, exact = FALSE, correct = correct, alternative = alt))
  }
  list(D = D, V = unname(f(FALSE, "two.sided")$statistic), asymptotic = f(FALSE, "two.sided")$p.value,
       greater = f(FALSE, "greater")$p.value, corrected = f(TRUE, "two.sided")$p.value)
})
heavy <- local({ # mostly zeros, as on a benchmark
  D <- c(rep(0, 180), rep(c(-.5, .5, 1, 1), 5))
  f <- suppressWarnings(wilcox.test(D, exact = FALSE, correct = FALSE))
  list(list(D = D, V = unname(f$statistic), asymptotic = f$p.value))
})

table <- do.call(rbind, lapply(c(1, 2, 3, 5, 8, 13, 25, 50, 120), function(n) {
  top <- n * (n + 1) / 2
  v <- unique(round(seq(0, top, length.out = 15)))
  data.frame(n = n, v = v, cdf = psignrank(v, n), sf = psignrank(v - 1, n, lower.tail = FALSE))
}))

flips <- lapply(list(ints = c(1, 2, 3, -1, 2, 0, 4, -2), binary = c(1, 1, 1, -1, 1, 1, 0, 1, -1, 1, 1),
                     reals = round(rnorm(12, .5), 3), one = .7, zeros = c(0, 0, 0)), function(D) {
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(D))))
  s <- signs %*% D
  list(D = I(D), two = mean(abs(s) >= abs(sum(D)) - 1e-9), greater = mean(s >= sum(D) - 1e-9))
})

save_json("wilcoxon", list(untied = untied, tied = c(tied, heavy), table = table, flips = flips))
