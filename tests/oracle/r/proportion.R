# One proportion: Wilson (prop.test), Clopper-Pearson and exact p-values (binom.test),
# exact power of the two-sided test by the method of small p-values.
source("save.R")

xn <- data.frame(x = c(0, 1, 0, 1, 2, 3, 7, 10, 0, 30, 15, 33, 160, 216, 0, 499, 720, 12000, 1, 5000),
                 n = c(1, 1, 2, 2, 5, 7, 10, 10, 30, 30, 30, 35, 216, 216, 216, 500, 1000, 12032,
                       100000, 100000))
interval <- each_row(merge(xn, data.frame(conf = c(.8, .9, .95, .99))), function(x, n, conf) {
  wilson <- suppressWarnings(prop.test(x, n, conf.level = conf, correct = FALSE))$conf.int
  cc <- suppressWarnings(prop.test(x, n, conf.level = conf, correct = TRUE))$conf.int
  cp <- binom.test(x, n, conf.level = conf)$conf.int
  list(wilson_low = wilson[1], wilson_high = wilson[2], cc_low = cc[1], cc_high = cc[2],
       cp_low = cp[1], cp_high = cp[2])
})

test <- each_row(merge(xn, data.frame(p0 = c(.02, .25, .5, .7, .93))), function(x, n, p0) {
  list(two = binom.test(x, n, p0)$p.value,
       greater = binom.test(x, n, p0, alternative = "greater")$p.value,
       less = binom.test(x, n, p0, alternative = "less")$p.value,
       # score test, no continuity correction
       score = suppressWarnings(prop.test(x, n, p0, correct = FALSE))$p.value)
})

power <- each_row(
  rows(grid(n = c(1, 5, 20, 50, 164), p0 = c(.1, .5, .7), p1 = c(.1, .3, .65, .85, 1),
            alpha = c(.01, .05, .1)),
       grid(n = 400, p0 = .74, p1 = c(.7, .79, .82), alpha = .05)),
  function(n, p0, p1, alpha) {
    x <- 0:n
    p <- vapply(x, function(k) binom.test(k, n, p0)$p.value, 0)
    upper <- pbinom(x - 1, n, p0, lower.tail = FALSE)
    lower <- pbinom(x, n, p0)
    w <- dbinom(x, n, p1)
    level <- alpha * (1 + 1e-12) # p = alpha rejects, whatever the rounding of p
    list(small_p = sum(w[p <= level]), doubled = sum(w[2 * pmin(upper, lower) <= level]),
         greater = sum(w[upper <= level]), less = sum(w[lower <= level]))
  })

save_json("proportion", list(interval = interval, test = test, power = power))
