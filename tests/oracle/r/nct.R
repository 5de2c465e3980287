# Power of one-sample/paired t tests over a wide grid of (df, ncp), two ways: R's noncentral t
# (pt with ncp: AS 243, absolute error about 1e-12; an approximation beyond ncp 37.62, left NA here)
# and adaptive quadrature over the chi distribution of the standard deviation.
source("save.R")

power <- each_row(
  grid(df = c(1, 2, 3, 4, 7, 12, 29, 63, 198, 999, 12031, 1e5),
       ncp = c(0, .1, .5, 1, 2, 2.8, 4, 6, 7, 8.3, 9, 12, 20, 30, 37, 40),
       alpha = c(.001, .05), sides = 1:2),
  function(df, ncp, alpha, sides) {
    crit <- qt(alpha / sides, df, lower.tail = FALSE)
    upper <- over_chi(function(s) pnorm(ncp - crit * s), df)
    lower <- over_chi(function(s) pnorm(-ncp - crit * s), df)
    by_pt <- if (ncp > 37.62) NA else suppressWarnings(
      pt(crit, df, ncp, lower.tail = FALSE) + if (sides == 2) pt(-crit, df, ncp) else 0)
    list(crit = crit, power = if (sides == 2) upper + lower else upper, power_pt = by_pt)
  })
power <- power[order(power$sides, power$alpha, power$ncp, power$df), ]
rownames(power) <- NULL

quantile <- each_row(grid(df = c(1, 2, 2.5, 5, 11.58, 30, 1e3, 1e6),
                          p = c(1e-12, 1e-4, .01, .025, .1, .4, .5)),
                     function(df, p) list(t = qt(p, df, lower.tail = FALSE)))
tail <- each_row(grid(df = c(1, 2, 3, 11.58, 100, 1e4), t = c(0, .3, 1, 2, 5, 20, 100)),
                 function(df, t) list(log_p = log(2) + pt(t, df, lower.tail = FALSE, log.p = TRUE)))

save_json("nct", list(power = power, quantile = quantile, tail = tail))
