# Items under models: psych::alpha's raw_alpha (of scores with divisor M - 1 in both places, which cancels) and r.drop,
# the correlation of an item with the total of the others.
source("save.R")
suppressMessages(library(psych))
set.seed(27)

measured <- function(x) {
  found <- suppressWarnings(alpha(as.data.frame(x), check.keys = FALSE, warnings = FALSE))
  list(models = nrow(x), items = ncol(x), x = as.vector(t(x)), alpha = found$total$raw_alpha,
       r = found$item.stats$r.drop)
}

binary <- lapply(list(c(28, 40), c(12, 9), c(200, 30)), function(d) {
  ability <- rnorm(d[1])
  hard <- rnorm(d[2])
  x <- matrix(rbinom(prod(d), 1, plogis(outer(ability, hard, "-"))), d[1])
  x[, 1] <- 1 - (ability > 0) # a wrong key
  measured(x[, apply(x, 2, sd) > 0])
})

graded <- lapply(list(c(20, 15), c(9, 25)), function(d) {
  measured(round(outer(rnorm(d[1]), rnorm(d[2]), "+") + matrix(rnorm(prod(d)), d[1]), 3))
})

# Spearman-Brown for other lengths, and a test of known reliability
lengths <- lapply(c(.2, .5, 3), function(k) list(times = k, r = .9, at = k * .9 / (1 + (k - 1) * .9)))

save_json("items", list(binary = binary, graded = graded, lengths = lengths), "psych")
