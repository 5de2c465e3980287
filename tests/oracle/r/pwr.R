# Power and sample size of unpaired, one-sample and paired tests:
# stats::power.prop.test, stats::power.t.test, and package pwr.
source("save.R")
library(pwr)
side <- c("one.sided", "two.sided")

# -- pwr.2p.test and pwr.p.test: Cohen's h; n by package (uniroot, loose) and tightly
solve_n <- function(power_at, power) {
  uniroot(function(n) power_at(n) - power, c(2, 1e9), tol = 1e-11, maxiter = 5000)$root
}
two_p <- each_row(
  grid(p1 = c(.02, .5, .7, .9), gap = c(.01, .05, .08), alpha = c(.01, .05, .1),
       power = c(.5, .8, .9), sides = 1:2),
  function(p1, gap, alpha, power, sides) {
    h <- ES.h(p1 + gap, p1)
    alt <- if (sides == 2) "two.sided" else "greater"
    at2 <- function(n) pwr.2p.test(h = h, n = n, sig.level = alpha, alternative = alt)$power
    at1 <- function(n) pwr.p.test(h = h, n = n, sig.level = alpha, alternative = alt)$power
    list(h = h, n_two = solve_n(at2, power), n_one = solve_n(at1, power),
         n_two_pwr = pwr.2p.test(h = h, sig.level = alpha, power = power, alternative = alt)$n,
         power_two_200 = at2(200), power_one_200 = at1(200), power_two_3 = at2(3))
  })

# -- two arms of different size
two_p2n <- each_row(
  grid(p1 = c(.3, .75), p2 = c(.35, .7), n1 = c(20, 500), n2 = c(50, 12000), alpha = c(.01, .05)),
  function(p1, p2, n1, n2, alpha) {
    h <- abs(ES.h(p1, p2))
    list(power = pwr.2p2n.test(h = h, n1 = n1, n2 = n2, sig.level = alpha)$power,
         # the right tail of the two-sided test is the one-sided test at half the level
         right = pwr.2p2n.test(h = h, n1 = n1, n2 = n2, sig.level = alpha / 2,
                               alternative = "greater")$power)
  })

# -- power.prop.test: pooled normal test; strict counts the wrong tail too
prop <- each_row(
  grid(p1 = c(.05, .5, .74, .95), gap = c(.01, .03, .049), alpha = c(.01, .05, .1),
       power = c(.8, .9), sides = 1:2),
  function(p1, gap, alpha, power, sides) {
    at <- function(n, strict = FALSE) {
      power.prop.test(n = n, p1 = p1, p2 = p1 + gap, sig.level = alpha,
                      alternative = side[sides], strict = strict && sides == 2)$power
    }
    list(n = power.prop.test(p1 = p1, p2 = p1 + gap, sig.level = alpha, power = power,
                             alternative = side[sides], tol = 1e-12)$n,
         power_10 = at(10), power_1000 = at(1000), power_100000 = at(1e5),
         strict_10 = at(10, TRUE), strict_1000 = at(1000, TRUE))
  })

# -- paired t: power.t.test(strict = TRUE) and pwr.t.test
t_power <- each_row(
  grid(n = c(2, 3, 5, 10, 50, 200, 2000, 1e5), effect = c(0, .005, .05, .2, .5, 1, 2),
       alpha = c(.01, .05, .1), sides = 1:2),
  function(n, effect, alpha, sides) {
    list(power = power.t.test(n = n, delta = effect, sd = 1, sig.level = alpha, type = "paired",
                              alternative = side[sides], strict = sides == 2)$power,
         power_pwr = pwr.t.test(n = n, d = effect, sig.level = alpha, type = "paired",
                                alternative = if (sides == 2) "two.sided" else "greater")$power)
  })
# real-valued n, and the smallest effect at a given n
t_n <- each_row(
  grid(effect = c(.01, .03, .1, .25, .6, 1.1), alpha = c(.01, .05, .1), power = c(.6, .8, .9),
       sides = 1:2),
  function(effect, alpha, power, sides) {
    list(n = power.t.test(delta = effect, sd = 1, sig.level = alpha, power = power,
                          type = "paired", alternative = side[sides], strict = sides == 2,
                          tol = 1e-12)$n)
  })
t_mde <- each_row(
  grid(n = c(4, 10, 30, 198, 1000, 12032), alpha = c(.01, .05, .1), power = c(.8, .9), sides = 1:2),
  function(n, alpha, power, sides) {
    list(effect = power.t.test(n = n, delta = NULL, sd = 1, sig.level = alpha, power = power,
                               type = "paired", alternative = side[sides], strict = sides == 2,
                               tol = 1e-12)$delta)
  })

# -- exact power of the two-sample score test: prop.test on every pair of counts
exact_two <- each_row(
  data.frame(n1 = c(1, 8, 15, 20, 40), n2 = c(3, 8, 30, 20, 25), p1 = c(.5, .3, .9, .74, .6),
             p2 = c(.4, .8, .6, .95, .6), alpha = c(.2, .05, .05, .01, .1)),
  function(n1, n2, p1, p2, alpha) {
    cells <- grid(x = 0:n1, y = 0:n2)
    p <- mapply(function(x, y) {
      suppressWarnings(prop.test(c(x, y), c(n1, n2), correct = FALSE)$p.value)
    }, cells$x, cells$y)
    p[is.nan(p)] <- 1 # all right or all wrong in both arms
    list(power = sum((dbinom(cells$x, n1, p1) * dbinom(cells$y, n2, p2))[p < alpha]))
  })

save_json("pwr", list(two_p = two_p, two_p2n = two_p2n, prop = prop, t_power = t_power,
                      t_n = t_n, t_mde = t_mde,
                      exact_two = exact_two), "pwr")
