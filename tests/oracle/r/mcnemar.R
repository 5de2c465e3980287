# McNemar p-values from discordant counts, and unconditional power by full enumeration.
# mid-p (Fagerland, Lydersen & Laake 2013) is built from pbinom and dbinom.
source("save.R")

pairs <- data.frame(
  b = c(0, 1, 0, 0, 2, 0, 5, 5, 6, 7, 0, 10, 10, 9, 15, 25, 30, 31, 86, 296, 0, 0, 0, 40, 1, 3,
        50, 500, 500, 5000, 50000, 500000, 500000, 500500, 501000, 502000, 505000, 510000,
        515000, 516500, 100, 300, 380, 800, 1500, 600, 5100, 5300, 5600, 6000, 6600, 0, 0, 0, 20,
        999, 12, 33, 49, 7001),
  c = c(0, 0, 1, 5, 0, 6, 0, 5, 1, 2, 10, 10, 0, 25, 5, 9, 15, 15, 78, 250, 50, 200, 800, 0, 99, 97,
        50, 500, 600, 4800, 49000, 500000, 499990, 499500, 499000, 498000, 495000, 490000,
        485000, 483500, 900, 700, 20, 200, 500, 0, 4900, 4700, 4400, 4000, 3400, 30, 100, 829, 21,
        1000, 13, 35, 50, 6999))

tests <- each_row(pairs, function(b, c) {
  n <- b + c
  m <- max(b, c)
  log_tail <- if (n > 0) pbinom(m - 1, n, .5, lower.tail = FALSE, log.p = TRUE) else 0
  pmf <- dbinom(m, n, .5)
  # with nothing discordant R gives NaN: a test of no data has p = 1
  cell <- function(correct) {
    if (n == 0) return(list(statistic = 0, p.value = 1))
    suppressWarnings(mcnemar.test(matrix(c(7, b, c, 7), 2), correct = correct))
  }
  plain <- cell(FALSE)
  corrected <- cell(TRUE)
  list(exact = if (n == 0) 1 else binom.test(b, n, .5)$p.value,
       log_exact = min(0, log(2) + log_tail),
       midp = if (n == 0) 1 else if (b == c) 1 - pmf / 2 else
         2 * pbinom(m, n, .5, lower.tail = FALSE) + pmf,
       chisq = unname(plain$statistic), asymptotic = plain$p.value,
       chisq_cc = unname(corrected$statistic), corrected = corrected$p.value,
       log_asymptotic = if (n == 0) 0 else
         pchisq((b - c)^2 / n, 1, lower.tail = FALSE, log.p = TRUE),
       # one-sided, alternative b > c
       exact_greater = if (n == 0) 1 else binom.test(b, n, .5, alternative = "greater")$p.value)
})

# Beyond the range of doubles: logarithms only.
deep <- each_row(
  data.frame(b = c(1000000, 0, 900000, 600000, 5000, 2000), c = c(0, 40000, 100000, 400000, 0, 9)),
  function(b, c) {
    n <- b + c
    m <- max(b, c)
    log_sf <- pbinom(m, n, .5, lower.tail = FALSE, log.p = TRUE)
    log_pmf <- dbinom(m, n, .5, log = TRUE)
    list(log_exact = log(2) + pbinom(m - 1, n, .5, lower.tail = FALSE, log.p = TRUE),
         log_midp = log_pmf + log1p(2 * exp(log_sf - log_pmf)),
         log_asymptotic = pchisq((b - c)^2 / n, 1, lower.tail = FALSE, log.p = TRUE))
  })

# Unconditional power: every (b, c) with b + c <= N, weight by the trinomial, test by p <= alpha.
p_all <- function(b, c) {
  n <- b + c
  m <- pmax(b, c)
  upper <- pbinom(m - 1, n, .5, lower.tail = FALSE)
  z <- ifelse(n > 0, abs(b - c) / sqrt(pmax(n, 1)), 0)
  zc <- ifelse(n > 0, pmax(abs(b - c) - 1, 0) / sqrt(pmax(n, 1)), 0)
  list(exact = ifelse(n > 0, pmin(1, 2 * upper), 1),
       midp = ifelse(n == 0, 1, ifelse(b == c, 1 - dbinom(b, n, .5) / 2, 2 * upper - dbinom(m, n, .5))),
       asymptotic = 2 * pnorm(-z), corrected = 2 * pnorm(-zc))
}
rejection <- function(n, psi, delta, alpha) {
  cells <- subset(grid(b = 0:n, c = 0:n), b + c <= n)
  p10 <- (psi + delta) / 2
  p01 <- (psi - delta) / 2
  # log trinomial; 0 * log(0) is 0
  xlog <- function(x, p) ifelse(x == 0, 0, x * log(p))
  lw <- with(cells, lfactorial(n) - lfactorial(b) - lfactorial(c) - lfactorial(n - b - c) +
               xlog(b, p10) + xlog(c, p01) + xlog(n - b - c, 1 - psi))
  p <- p_all(cells$b, cells$c)
  # equality at alpha counts as rejection; 1e-12 guards rounding of p itself
  vapply(p, function(q) sum(exp(lw)[q <= alpha * (1 + 1e-12)]), 0)
}
power <- each_row(
  rows(grid(n = c(1, 6, 20, 61, 150), psi = c(.05, .2, .6, 1), share = c(0, .25, .6, 1),
            alpha = c(.01, .05, .1)),
       grid(n = 600, psi = .22, share = .25, alpha = .05)),
  function(n, psi, share, alpha) {
    as.list(c(delta = psi * share, rejection(n, psi, psi * share, alpha)))
  })

# First number of items with power .8, by trying each
first <- each_row(
  rows(grid(psi = c(.5, .95, 1), share = c(.7, 1), alpha = c(.05, .1, .2)),
       grid(psi = .4, share = .6, alpha = .05)),
  function(psi, share, alpha) {
    delta <- psi * share
    reached <- sapply(1:60, function(n) rejection(n, psi, delta, alpha) >= .8)
    stopifnot(reached[, 60])
    as.list(c(delta = delta, apply(reached, 1, function(r) which(r)[1])))
  })

save_json("mcnemar", list(tests = tests, deep = deep, power = power, first = first))
