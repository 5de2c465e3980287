# Repeated runs: pass@k and pass^k as hypergeometric probabilities; variance components of a
# task x run table by one-way ANOVA.
source("save.R")
set.seed(5)

cases <- subset(grid(n = c(1, 2, 5, 10, 64, 200), k = c(1, 2, 5, 8, 50, 100), share = c(0, .1, .3, .5, .9, 1)),
                k <= n)
pass <- each_row(cases, function(n, k, share) {
  c <- round(n * share)
  list(c = c, pass_at_k = 1 - dhyper(0, c, n - c, k), pass_all_k = dhyper(k, c, n - c, k))
})

tables <- lapply(list(c(12, 4, 3), c(30, 5, 5), c(6, 2, 9)), function(d) {
  rate <- rbeta(d[1], 1, .7)
  shift <- pmin(1, pmax(0, rate + rnorm(d[1], .05, .15)))
  A <- matrix(rbinom(d[1] * d[2], 1, shift), d[1])
  B <- matrix(rbinom(d[1] * d[3], 1, rate), d[1])
  within <- function(Y) {
    frame <- data.frame(y = as.vector(Y), task = factor(row(Y)))
    anova(lm(y ~ task, frame))[2, 3]
  }
  D <- rowMeans(A) - rowMeans(B)
  wa <- within(A)
  wb <- within(B)
  list(A = A, B = B, delta = mean(D), variance = var(D) / d[1], var_d = var(D), within_a = wa,
       within_b = wb, between = var(D) - wa / d[2] - wb / d[3], p_t = t.test(D)$p.value)
})

# one model, complete blocks: two-way layout without replication, one run shifted for all tasks
blocks <- lapply(list(c(12, 4, 0), c(50, 3, .3), c(8, 6, .1)), function(d) {
  rate <- rbeta(d[1], 1, .7)
  shift <- c(d[3], rep(0, d[2] - 1))
  Y <- matrix(rbinom(d[1] * d[2], 1, pmax(0, outer(rate, shift, "-"))), d[1])
  fit <- anova(lm(y ~ task + run, data.frame(y = as.vector(Y), task = factor(row(Y)), run = factor(col(Y)))))
  ms <- fit[["Mean Sq"]]
  list(Y = Y, mean = mean(Y), task = (ms[1] - ms[3]) / d[2], run = (ms[2] - ms[3]) / d[1], residual = ms[3])
})

sweep <- each_row(grid(runs = c(1, 4, 30, 200, 5000), conf = c(.8, .95, .999)), function(runs, conf) {
  c(bound = qbeta(conf, 1, runs), upper = binom.test(0, runs, alternative = "less", conf.level = conf)$conf.int[2])
})
seen <- each_row(grid(rate = c(.001, .05, .3, .9), conf = c(.8, .95, .999)), function(rate, conf) {
  c(runs = qgeom(conf, rate) + 1)
})

save_json("runs", list(pass = pass, tables = tables, blocks = blocks, sweep = sweep, seen = seen))
