# Multiplicity: p.adjust, studentized range, multivariate normal critical values, and
# multcomp's single-step and step-down ("free") adjusted p-values.
source("save.R")
suppressMessages(library(multcomp))
set.seed(7)

vectors <- list(
  ties = c(.01, .04, .01, .04, .04, .5, 1, 1, .0001, .03),
  random = signif(rbeta(25, .4, 2), 6),
  tiny = c(1e-300, 1e-12, 3e-5, .2, .049, .05, .051, 1e-12, .9),
  one = .03)
adjusted <- lapply(vectors, function(p) {
  methods <- c("bonferroni", "holm", "hochberg", "hommel", "BH", "BY")
  c(list(p = I(p)), sapply(methods, function(m) I(p.adjust(p, m)), simplify = FALSE))
})

# Range of M independent normals: qtukey is good to about 1e-4, so the quantile is refined by
# quadrature of M * integral phi(z) (Phi(z) - Phi(z - q))^(M - 1).
range_sf <- function(q, m) {
  1 - m * integrate(function(z) dnorm(z) * (pnorm(z) - pnorm(z - q))^(m - 1), -9, 9 + q,
                    rel.tol = 1e-12, abs.tol = 1e-15, subdivisions = 2000)$value
}
tukey <- each_row(
  grid(m = c(2, 3, 4, 5, 7, 10, 15, 20, 28, 50, 75, 100, 200), alpha = c(.001, .01, .05, .1, .2)),
  function(m, alpha) {
    raw <- qtukey(alpha, m, Inf, lower.tail = FALSE)
    fine <- uniroot(function(q) range_sf(q, m) - alpha, raw + c(-.05, .05), tol = 1e-13)$root
    list(qtukey = raw / sqrt(2), critical = fine / sqrt(2))
  })
tukey_df <- each_row(grid(m = c(2, 3, 5, 10, 20, 50), df = c(3, 10, 49, 200), alpha = c(.01, .05)),
                     function(m, df, alpha) list(qtukey = qtukey(alpha, m, df, lower.tail = FALSE) / sqrt(2)))

# Dunnett-like many-to-one with equal correlation r: one-dimensional integral, exact
equi_sf <- function(c, m, r) {
  f <- function(u) dnorm(u) * (pnorm((c - sqrt(r) * u) / sqrt(1 - r)) -
                                 pnorm((-c - sqrt(r) * u) / sqrt(1 - r)))^m
  1 - integrate(f, -9, 9, rel.tol = 1e-12, abs.tol = 1e-15, subdivisions = 2000)$value
}
equicorrelated <- each_row(
  grid(m = c(1, 2, 5, 9, 40), r = c(0, .25, .5, .9), alpha = c(.01, .05, .1)),
  function(m, r, alpha) {
    list(critical = uniroot(function(c) equi_sf(c, m, r) - alpha, c(1, 6), tol = 1e-12)$root)
  })

# Unequal correlations: qmvnorm, with the level it really attains and the integration error
matrices <- list(
  ar4 = .8^abs(outer(1:4, 1:4, "-")),
  mixed3 = matrix(c(1, .9, -.2, .9, 1, .1, -.2, .1, 1), 3),
  blocks5 = {
    m <- diag(5)
    m[1:2, 1:2] <- .7
    m[3:5, 3:5] <- .4
    diag(m) <- 1
    m
  })
fine <- mvtnorm::GenzBretz(maxpts = 1e6, abseps = 1e-6)
coarse <- mvtnorm::GenzBretz(maxpts = 1e5, abseps = 1e-5)
within_box <- function(q, m, algorithm) {
  set.seed(1) # common random numbers, so that the root is of a smooth function
  mvtnorm::pmvnorm(rep(-q, nrow(m)), rep(q, nrow(m)), corr = m, algorithm = algorithm)
}
quantiles <- lapply(matrices, function(m) {
  one <- function(alpha) {
    q <- uniroot(function(q) within_box(q, m, coarse) - 1 + alpha, c(1, 5), tol = 1e-6)$root
    p <- within_box(q, m, fine)
    set.seed(1)
    raw <- mvtnorm::qmvnorm(1 - alpha, tail = "both.tails", corr = m)$quantile
    list(alpha = alpha, critical = q, attained = 1 - as.numeric(p), error = attr(p, "error"),
         qmvnorm = raw)
  }
  list(corr = m, levels = do.call(rbind, lapply(c(.01, .05, .1), function(a) as.data.frame(one(a)))))
})

# Five means with unequal variances and correlations: all ten differences
means <- c(.742, .735, .701, .690, .655)
sds <- c(.44, .43, .46, .47, .48)
corr <- matrix(c(1, .7, .5, .4, .2, .7, 1, .55, .35, .25, .5, .55, 1, .6, .3,
                 .4, .35, .6, 1, .1, .2, .25, .3, .1, 1), 5)
families <- lapply(c(wide = 1500, narrow = 300), function(n) {
  covariance <- corr * outer(sds, sds) / n
  k <- contrMat(setNames(rep(1, 5), letters[1:5]), "Tukey")
  # glht contrasts are second minus first
  fit <- glht(parm(means, covariance), linfct = unclass(k)[, ])
  p <- function(type) {
    # warns that the error bound is above abseps: the bound is stored as `error`
    test <- suppressWarnings(summary(fit, test = adjusted(type, maxpts = 3e5, abseps = 1e-5)))$test
    if (type == "single-step") error <<- attr(test$pvalues, "error")
    as.numeric(test$pvalues)
  }
  error <- NA
  ci <- suppressWarnings(
    confint(fit, level = .95, calpha = adjusted_calpha(maxpts = 3e5, abseps = 1e-5)))
  list(n = n, means = means, covariance = covariance,
       first = unname(apply(k, 1, function(r) which(r == -1))),
       second = unname(apply(k, 1, function(r) which(r == 1))),
       z = as.numeric(summary(fit, test = adjusted("none"))$test$tstat),
       none = p("none"), single_step = p("single-step"), free = p("free"), holm = p("holm"),
       error = error, critical95 = as.numeric(attr(ci$confint, "calpha")))
})

save_json("multiplicity",
          list(adjusted = adjusted, tukey = tukey, tukey_df = tukey_df,
               equicorrelated = equicorrelated, quantiles = quantiles, families = families),
          c("multcomp", "mvtnorm"))
