# Score interval for the paired difference (Tango 1998), the slow way: the nuisance p01 is found
# by numerical maximization of the likelihood, the limits by root finding. No closed form is used.
source("save.R")

# T(d) = (b - c - n d) / sqrt(n (2 q + d (1 - d))), q = MLE of p01 when p10 - p01 = d
score <- function(d, b, c, n) {
  lo <- max(0, -d)
  hi <- (1 - d) / 2
  # score equation in q; strictly decreasing, so bracketed bisection finds the one root
  slope <- function(q) {
    (if (b > 0) b / (q + d) else 0) + (if (c > 0) c / q else 0) -
      (if (n > b + c) 2 * (n - b - c) / (1 - 2 * q - d) else 0)
  }
  eps <- (hi - lo) * 1e-15
  q <- if (slope(lo + eps) <= 0) lo else if (slope(hi - eps) >= 0) hi else
    uniroot(slope, c(lo + eps, hi - eps), tol = 1e-16, maxiter = 10000)$root
  v <- n * (2 * q + d * (1 - d))
  (b - c - n * d) / sqrt(v)
}
limits <- function(b, c, n, conf) {
  z <- qnorm((1 + conf) / 2)
  estimate <- (b - c) / n
  root <- function(from, to, target) {
    uniroot(function(d) score(d, b, c, n) - target, c(from, to), tol = 1e-14, maxiter = 10000)$root
  }
  edge <- 1 - 1e-12
  low <- if (estimate <= -1) -1 else root(-edge, estimate - 1e-13, z)
  high <- if (estimate >= 1) 1 else root(estimate + 1e-13, edge, -z)
  list(low = low, high = high)
}
cases <- data.frame(
  b = c(1, 5, 12, 43, 0, 0, 10, 10, 86, 296, 3, 0, 25, 200, 1, 17, 2, 400),
  c = c(0, 3, 2, 0, 9, 0, 0, 10, 78, 250, 3, 1, 75, 100, 1, 4, 30, 380),
  n = c(5, 10, 44, 50, 30, 25, 11, 20, 1000, 10042, 7, 100, 120, 400, 1000, 44, 60, 800))
interval <- each_row(merge(cases, data.frame(conf = c(.9, .95, .99))), limits)

# the statistic itself at shifted nulls (non-inferiority margins)
statistic <- each_row(
  merge(cases, data.frame(null = c(-.2, -.05, -.01, .02, .1))),
  function(b, c, n, null) list(z = score(null, b, c, n)))
statistic <- statistic[is.finite(statistic$z), ]

# exact power of the equivalence and non-inferiority tests at +-margin, over every table
power <- each_row(
  data.frame(n = c(6, 15, 25, 40, 40), psi = c(.5, .2, .35, .1, .3), delta = c(0, .1, -.05, 0, .2),
             margin = c(.4, .3, .2, .15, .2), alpha = c(.1, .05, .025, .05, .05)),
  function(n, psi, delta, margin, alpha) {
    cells <- subset(grid(b = 0:n, c = 0:n), b + c <= n)
    z <- qnorm(alpha, lower.tail = FALSE)
    down <- mapply(function(b, c) score(-margin, b, c, n), cells$b, cells$c) > z
    up <- mapply(function(b, c) score(margin, b, c, n), cells$b, cells$c) < -z
    w <- mapply(function(b, c) {
      dmultinom(c(b, c, n - b - c), prob = c((psi + delta) / 2, (psi - delta) / 2, 1 - psi))
    }, cells$b, cells$c)
    list(equivalence = sum(w[down & up]), noninferiority = sum(w[down]))
  })

save_json("tango", list(interval = interval, statistic = statistic, power = power))
