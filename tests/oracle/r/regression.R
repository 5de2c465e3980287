# A simple random sample of items beside covariates that are known on all: survey's calibrate, linear, with the finite
# population's correction. Its error weights residuals by calibration.
source("save.R")
suppressMessages(library(survey))
set.seed(27)

cases <- lapply(list(c(300, 50, 1), c(900, 120, 3), c(200, 150, 2)), function(d) {
  ability <- rnorm(d[1])
  x <- sapply(seq_len(d[3]), function(k) round(ability + rnorm(d[1]), 3))
  colnames(x) <- paste0("x", seq_len(d[3]))
  a <- as.numeric(ability + rnorm(d[1]) > -.3)
  frame <- data.frame(a = a, gap = a - as.numeric(x[, 1] > 0), x, total = d[1])
  drawn <- sort(sample(d[1], d[2]))
  design <- svydesign(ids = ~1, fpc = ~total, data = frame[drawn, ])
  form <- reformulate(colnames(x))
  fitted <- calibrate(design, form, c(`(Intercept)` = d[1], colSums(x)))
  found <- svymean(~ a + gap, fitted)
  list(n = d[2], p = d[3], drawn = drawn, a = frame$a[drawn], gap = frame$gap[drawn], x = as.vector(x),
       mean_a = coef(found)[["a"]], se_a = SE(found)[["a"]], mean_gap = coef(found)[["gap"]],
       se_gap = SE(found)[["gap"]])
})

save_json("regression", list(cases = cases), "survey")
