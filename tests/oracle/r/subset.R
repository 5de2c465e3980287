# Items drawn by strata from a benchmark: survey's svymean with strata and the finite population's correction.
source("save.R")
suppressMessages(library(survey))
set.seed(27)

cases <- lapply(list(list(N = c(40, 25, 60), n = c(8, 5, 12)), list(N = c(6, 300), n = c(6, 30))), function(d) {
  h <- rep(seq_along(d$n), d$n)
  frame <- data.frame(h = h, total = d$N[h], a = rbinom(length(h), 1, .6), b = round(runif(length(h)), 3))
  frame$gap <- frame$a - frame$b
  drawn <- svydesign(ids = ~1, strata = ~h, fpc = ~total, data = frame)
  found <- svymean(~ a + gap, drawn)
  list(h = frame$h, totals = d$N, a = frame$a, gap = frame$gap, mean_a = coef(found)[["a"]], se_a = SE(found)[["a"]],
       mean_gap = coef(found)[["gap"]], se_gap = SE(found)[["gap"]], df = degf(drawn))
})

save_json("subset", list(cases = cases), "survey")
