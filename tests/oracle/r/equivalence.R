# Equivalence (two one-sided tests) and non-inferiority of a mean difference.
# Exact paired-t power by quadrature over the chi distribution of the sd; normal formulas.
source("save.R")

tost_t <- function(n, delta, margin, sigma, alpha) {
  crit <- qt(alpha, n - 1, lower.tail = FALSE)
  up <- (margin - delta) * sqrt(n) / sigma
  down <- (margin + delta) * sqrt(n) / sigma
  # reject when -down + crit s < Z < up - crit s, possible only while s < (up + down) / (2 crit)
  over_chi(function(s) pnorm(up - crit * s) - pnorm(crit * s - down), n - 1,
           upper = (up + down) / (2 * crit))
}
tost_z <- function(n, delta, margin, sigma, alpha) {
  z <- qnorm(alpha, lower.tail = FALSE)
  max(0, pnorm((margin - delta) * sqrt(n) / sigma - z) + pnorm((margin + delta) * sqrt(n) / sigma - z) - 1)
}
ni_t <- function(n, delta, margin, sigma, alpha) {
  crit <- qt(alpha, n - 1, lower.tail = FALSE)
  over_chi(function(s) pnorm((margin + delta) * sqrt(n) / sigma - crit * s), n - 1)
}
ni_z <- function(n, delta, margin, sigma, alpha) {
  pnorm((margin + delta) * sqrt(n) / sigma - qnorm(alpha, lower.tail = FALSE))
}

power <- each_row(
  grid(n = c(2, 5, 12, 50, 300, 2000, 50000), delta = c(-.01, 0, .004, .02, .05), margin = c(.02, .05),
       sigma = c(.1, .45), alpha = c(.025, .05)),
  function(n, delta, margin, sigma, alpha) {
    ncp <- (margin + delta) * sqrt(n) / sigma
    crit <- qt(alpha, n - 1, lower.tail = FALSE)
    list(tost_t = tost_t(n, delta, margin, sigma, alpha), tost_z = tost_z(n, delta, margin, sigma, alpha),
         ni_t = ni_t(n, delta, margin, sigma, alpha), ni_z = ni_z(n, delta, margin, sigma, alpha),
         ni_pt = if (abs(ncp) > 37) NA else suppressWarnings(pt(crit, n - 1, ncp, lower.tail = FALSE)))
  })

# n for a wanted power: real for the normal formulas, first integer for t
first_integer <- function(f, power, start) {
  n <- max(2, floor(start) - 5)
  while (f(n) < power) n <- n + 1
  stopifnot(n == 2 || f(n - 1) < power)
  n
}
size <- each_row(
  grid(delta = c(-.01, 0, .005, .015), margin = c(.02, .05), sigma = c(.1, .45), alpha = c(.025, .05),
       power = c(.8, .9)),
  function(delta, margin, sigma, alpha, power) {
    root <- function(f) {
      uniroot(function(ln) f(exp(ln), delta, margin, sigma, alpha) - power, log(c(.5, 1e8)), tol = 1e-14)$root
    }
    z <- exp(root(tost_z))
    nz <- exp(root(ni_z))
    list(tost_z = z, ni_z = nz,
         tost_t = first_integer(function(n) tost_t(n, delta, margin, sigma, alpha), power, z),
         ni_t = first_integer(function(n) ni_t(n, delta, margin, sigma, alpha), power, nz))
  })

save_json("equivalence", list(power = power, size = size))
