# Several judges: variance components of items x judges x repeats by REML (lme4), which for a balanced layout with
# all parts above 0 are those of the mean squares; Cohen's kappa and Lin's concordance from their definitions.
source("save.R")
suppressMessages(library(lme4))
set.seed(11)

fitted <- function(frame, formula) {
  fit <- lmer(formula, frame, control = lmerControl(optCtrl = list(xtol_abs = 1e-12, ftol_abs = 1e-14, maxeval = 1e5)))
  parts <- as.data.frame(VarCorr(fit))
  stopifnot(!isSingular(fit))
  setNames(as.list(parts$vcov), parts$grp)
}

# one model, repeated judgments
repeated <- lapply(list(c(20, 4, 3), c(60, 3, 2)), function(d) {
  frame <- grid(item = 1:d[1], judge = 1:d[2], again = 1:d[3])
  frame$y <- rnorm(d[1], 0, 1)[frame$item] + rnorm(d[2], 0, .8)[frame$judge] +
    rnorm(d[1] * d[2], 0, .6)[frame$item + d[1] * (frame$judge - 1)] + rnorm(nrow(frame), 0, .5)
  parts <- fitted(frame, y ~ 1 + (1 | item) + (1 | judge) + (1 | item:judge))
  list(items = d[1], judges = d[2], repeats = d[3], y = frame$y, item = parts$item, judge = parts$judge,
       cross = parts[["item:judge"]], again = parts$Residual)
})

# the gap of two models, one judgment each
gaps <- lapply(list(c(30, 3), c(15, 5)), function(d) {
  frame <- grid(item = 1:d[1], judge = 1:d[2])
  a <- rnorm(d[1])[frame$item] + rnorm(d[2])[frame$judge] + rnorm(nrow(frame), 0, .7)
  b <- rnorm(nrow(frame), 0, .3)
  frame$gap <- a - b
  parts <- fitted(frame, gap ~ 1 + (1 | item) + (1 | judge))
  list(items = d[1], judges = d[2], a = a, b = b, item = parts$item, judge = parts$judge, rest = parts$Residual)
})

kappas <- lapply(c(.1, .3), function(wrong) {
  x <- rbinom(80, 1, .6)
  y <- ifelse(runif(80) < wrong, 1 - x, x)
  t <- table(factor(x, 0:1), factor(y, 0:1)) / 80
  chance <- sum(rowSums(t) * colSums(t))
  list(x = x, y = y, share = sum(diag(t)), kappa = (sum(diag(t)) - chance) / (1 - chance),
       youden = t[2, 2] / sum(t[, 2]) - t[2, 1] / sum(t[, 1]))
})

graded <- lapply(1:2, function(shift) {
  x <- round(rnorm(50, 5, 2), 1)
  y <- round(x + rnorm(50, shift, 1), 1)
  moment <- function(a, b) mean((a - mean(a)) * (b - mean(b)))
  list(x = x, y = y, r = cor(x, y), concordance = 2 * moment(x, y) / (moment(x, x) + moment(y, y) + (mean(x) - mean(y))^2),
       low = t.test(x, y, paired = TRUE)$conf.int[1], high = t.test(x, y, paired = TRUE)$conf.int[2])
})

save_json("judges", list(repeated = repeated, gaps = gaps, kappas = kappas, graded = graded), "lme4")
