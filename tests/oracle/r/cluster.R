# Cluster-robust variance of a mean: clubSandwich on lm(D ~ 1), with Satterthwaite
# (Bell-McCaffrey) degrees of freedom; the one-way ANOVA behind the intraclass correlation;
# stratified variance. The data are made here and stored beside the answers.
source("save.R")
suppressMessages(library(clubSandwich))
set.seed(20240611)

graded <- function(sizes, icc, mean = .05) {
  g <- rep(seq_along(sizes), sizes)
  list(g = g, D = round(mean + rnorm(length(sizes), 0, sqrt(icc))[g] +
                          rnorm(length(g), 0, sqrt(1 - icc)), 3))
}
binary <- function(sizes, psi = .3) {
  g <- rep(seq_along(sizes), sizes)
  shift <- runif(length(sizes), -.25, .3)[g]
  u <- runif(length(g))
  list(g = g, D = ifelse(u < (psi + shift) / 2, 1, ifelse(u < psi, -1, 0)))
}
data <- list(
  equal = graded(rep(6, 8), .3), unequal = graded(c(1, 1, 2, 3, 5, 8, 13, 21, 34, 55), .1),
  three = graded(c(4, 7, 12), .2), forty = binary(sample(1:9, 40, TRUE)),
  giant = graded(c(70, 2, 5, 3, 8, 12), .1), singletons = graded(rep(1, 15), 0),
  binary_two = binary(c(20, 11)))

answers <- lapply(data, function(d) {
  frame <- data.frame(D = d$D, g = factor(d$g))
  fit <- lm(D ~ 1, frame)
  out <- list(D = d$D, g = d$g, n = nrow(frame), clusters = nlevels(frame$g),
              mean = unname(coef(fit)), v_iid = vcov(fit)[1, 1])
  for (type in c("CR0", "CR1", "CR2", "CR3")) {
    v <- vcovCR(fit, cluster = frame$g, type = type)
    test <- coef_test(fit, vcov = v, test = "Satterthwaite")
    ci <- conf_int(fit, vcov = v, level = .9, test = "Satterthwaite")
    out[[type]] <- list(variance = v[1, 1], df = test$df[1], p = test$p_Satt[1],
                        low90 = ci$CI_L[1], high90 = ci$CI_U[1])
  }
  naive <- coef_test(fit, vcov = vcovCR(fit, cluster = frame$g, type = "CR1"), test = "naive-t")
  out$p_cr1_t <- naive$p_t[1]
  if (max(table(frame$g)) > 1) {
    table <- anova(lm(D ~ g, frame))
    msb <- table[1, 3]
    msw <- table[2, 3]
    m <- as.numeric(base::table(frame$g))
    n <- sum(m)
    m0 <- (n - sum(m^2) / n) / (length(m) - 1)
    out$anova <- list(msb = msb, msw = msw, m0 = m0, icc = (msb - msw) / (msb + (m0 - 1) * msw),
                      kish = sum(m^2) / n)
    if (min(m) > 1) out$v_strata <- sum((m / n)^2 * tapply(frame$D, frame$g, var) / m)
  }
  sums <- tapply(frame$D, frame$g, sum)
  out$loco <- unname(vapply(levels(frame$g), function(k) mean(frame$D[frame$g != k]), 0))
  # exact cluster sign-flip, full enumeration
  if (length(sums) <= 12) {
    signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(sums))))
    out$signflip <- mean(abs(signs %*% sums) >= abs(sum(sums)) - 1e-9)
  }
  out
})
save_json("cluster", answers, "clubSandwich")
