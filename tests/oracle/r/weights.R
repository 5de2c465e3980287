# Items of unequal weights: survey's svymean of scores and of gaps, of single items and of clusters (ultimate clusters,
# factor G / (G - 1)).
source("save.R")
suppressMessages(library(survey))
set.seed(26)

cases <- lapply(list(c(12, 4), c(60, 15)), function(d) {
  frame <- data.frame(w = round(rlnorm(d[1]), 4), g = rep(seq_len(d[2]), length.out = d[1]),
                      a = rbinom(d[1], 1, .7), b = round(runif(d[1]), 3))
  frame$gap <- frame$a - frame$b
  items <- svydesign(ids = ~1, weights = ~w, data = frame)
  clusters <- svydesign(ids = ~g, weights = ~w, data = frame)
  found <- svymean(~ a + b + gap, items)
  together <- vcov(found)
  list(w = frame$w, g = frame$g, a = frame$a, b = frame$b, mean_a = coef(found)[["a"]], mean_b = coef(found)[["b"]],
       gap = coef(found)[["gap"]], se_gap = SE(found)[["gap"]] , se_a = SE(found)[["a"]],
       cov_ab = together["a", "b"], se_gap_clusters = as.numeric(SE(svymean(~gap, clusters))))
})

save_json("weights", list(cases = cases), "survey")
