# Many models: choosing the best (Bechhofer), against a control (Dunnett), every pair of a ladder.
# Integrals of one dimension by integrate; the same by mvtnorm over all dimensions at once.
source("save.R")
fine <- mvtnorm::GenzBretz(maxpts = 2e6, abseps = 1e-7)
over_normal <- function(f) {
  integrate(function(u) dnorm(u) * f(u), -9, 9, rel.tol = 1e-12, abs.tol = 1e-15,
            subdivisions = 2000)$value
}
box <- function(lower, upper, mean, corr) {
  set.seed(1)
  p <- mvtnorm::pmvnorm(lower, upper, mean = mean, corr = corr, algorithm = fine)
  c(value = as.numeric(p), error = attr(p, "error"))
}
half <- function(m) .5 + diag(.5, m)

dunnett <- each_row(
  grid(m = c(1, 2, 3, 5, 9, 19, 40), alpha = c(.01, .05, .2), sides = c(1, 2)),
  function(m, alpha, sides) {
    inside <- function(c) over_normal(function(u) {
      (pnorm(sqrt(2) * c + u) - (sides == 2) * pnorm(u - sqrt(2) * c))^m
    })
    c <- uniroot(function(c) inside(c) - (1 - alpha), c(.1, 7), tol = 1e-13)$root
    low <- if (sides == 2) -c else -Inf
    level <- if (m == 1) c(value = NA, error = NA) else
      box(rep(low, m), rep(c, m), rep(0, m), half(m))
    list(critical = c, inside = level[["value"]], error = level[["error"]])
  })

selection <- each_row(
  grid(k = c(2, 3, 5, 10, 20), shift = c(.5, 1, 2, 3)),
  function(k, shift) {
    p <- over_normal(function(u) pnorm(u + sqrt(2) * shift)^(k - 1))
    m <- if (k == 2) c(value = pnorm(shift), error = 0) else
      box(rep(0, k - 1), rep(Inf, k - 1), rep(shift, k - 1), half(k - 1))
    list(power = p, mvtnorm = m[["value"]], error = m[["error"]])
  })

# Gaps of neighbors correlate by -1/2 if they share a model, else not at all
ladder <- each_row(
  grid(k = c(3, 4, 6, 10), shift = c(2, 3.5, 5), critical = c(1.96, 3)),
  function(k, shift, critical) {
    corr <- diag(k - 1)
    corr[abs(row(corr) - col(corr)) == 1] <- -.5
    p <- box(rep(critical, k - 1), rep(Inf, k - 1), rep(shift, k - 1), corr)
    list(power = p[["value"]], error = p[["error"]])
  })

save_json("arms", list(dunnett = dunnett, selection = selection, ladder = ladder), "mvtnorm")
