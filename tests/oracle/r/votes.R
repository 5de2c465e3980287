# Votes between pairs of models: Bradley-Terry with ties as half a win, by BradleyTerry2 and by glm on
# the same design; its sandwich with package sandwich, one vote at a time and in groups, one way and
# two; Davidson's ties by gnm with BradleyTerry2's GenDavidson, and as a log-linear model whose
# sandwich package sandwich knows. The data are made here and stored beside the answers.
source("save.R")
suppressMessages({library(BradleyTerry2); library(gnm); library(sandwich)})
set.seed(20240612)

models <- 6
n <- 300
strength <- c(.9, .5, .2, -.1, -.5, -1)
prompt <- sample(1:24, n, TRUE)
judge <- sample(1:20, n, TRUE)
taste <- matrix(rnorm(24 * models, 0, .5), 24)
pairs <- t(replicate(n, sample(models, 2)))
longer <- round(runif(n, -.6, .6), 3)
gap <- strength[pairs[, 1]] - strength[pairs[, 2]] + .25 + .6 * longer +
  taste[cbind(prompt, pairs[, 1])] - taste[cbind(prompt, pairs[, 2])]
odds <- cbind(exp(gap / 2), .8, exp(-gap / 2))
score <- apply(odds, 1, function(p) sample(c(1, .5, 0), 1, prob = p))
votes <- data.frame(first = pairs[, 1] - 1, second = pairs[, 2] - 1, score = score,
                    prompt = prompt - 1, judge = judge - 1, longer = longer,
                    weight = sample(c(.5, 1, 3), n, TRUE))
stopifnot(votes$first != votes$second, any(score == .5))

names <- paste0("m", 0:(models - 1))
player <- function(index) factor(paste0("m", index), levels = names)
x <- matrix(0, n, models)                       # strengths less that of m0, as in treatment contrasts
x[cbind(1:n, votes$first + 1)] <- 1
x[cbind(1:n, votes$second + 1)] <- -1
x <- x[, -1]
# vcov is taken before the last step, so that the fit must stand still, not only the deviance
tight <- glm.control(epsilon = 1e-300, maxit = 30)
quietly <- suppressWarnings
flat <- function(matrix) as.numeric(unname(matrix))

# A score of 1/2 is no count, of which binomial() warns; quasibinomial has the same equations.
half <- function(design, weight = rep(1, n)) {
  fit <- quietly(glm(votes$score ~ 0 + design, family = quasibinomial, weights = weight,
                     control = tight))
  group <- votes[c("prompt", "judge")]
  # HC0 with cadjust: G / (G - 1) in each term of each grouping, and no other correction
  clustered <- function(by) vcovCL(fit, cluster = by, type = "HC0", cadjust = TRUE)
  list(theta = flat(coef(fit)), information = flat(summary(fit)$cov.unscaled),
       single = flat(vcovHC(fit, type = "HC0")), prompt = flat(clustered(group["prompt"])),
       judge = flat(clustered(group["judge"])), both = flat(clustered(group)))
}

# BradleyTerry2 with the position as its "home" effect; only the position separates the two players.
bt <- function(position) {
  sides <- data.frame(first = player(votes$first), second = player(votes$second))
  table <- cbind(votes$score, 1 - votes$score)
  one <- data.frame(id = sides$first, shown = 1)
  two <- data.frame(id = sides$second, shown = 0)
  model <- if (position) ~ id + shown else ~ id
  fit <- quietly(BTm(table, one, two, model, id = "id", refcat = "m0", control = tight))
  list(theta = flat(coef(fit)), covariance = flat(vcov(fit)))
}

# Davidson's model: three rows for each vote, of which one happened.
long <- data.frame(vote = factor(rep(1:n, each = 3)), result = rep(c(1, .5, 0), n))
row <- rep(1:n, each = 3)
long$count <- as.numeric(votes$score[row] == long$result)
long$first <- player(votes$first[row])
long$second <- player(votes$second[row])
generalized <- function() {
  long$home <- rep(TRUE, nrow(long))
  fit <- gnm(count ~ GenDavidson(result == 1, result == .5, result == 0, first, second,
                                 home.adv = ~1, tie.max = ~1, at.home1 = home, at.home2 = !home) - 1,
             eliminate = vote, family = poisson, data = long, tolerance = 1e-12, iterMax = 500,
             verbose = FALSE)
  found <- coef(fit)
  ability <- found[match(paste0("m", 0:(models - 1)), sub(".*(m[0-9])$", "\\1", names(found)))]
  shared <- found[grep("home.adv|tie.max", names(found))]
  list(theta = unname(c(ability[-1] - ability[1], shared[grep("home", names(shared))],
                        log(2) + shared[grep("tie", names(shared))])))
}
# log P = gap / 2, log nu or - gap / 2: log-linear, with a constant for each vote. Its sandwich over
# votes is that of the multinomial.
loglinear <- function() {
  design <- cbind(x, 1)[row, ] * (long$result - .5)
  tie <- as.numeric(long$result == .5)
  fit <- quietly(glm(count ~ 0 + design + tie + vote, family = poisson, data = long,
                     control = tight))
  keep <- 1:(models + 1)
  by <- function(group, adjust) {
    flat(vcovCL(fit, cluster = group, type = "HC0", cadjust = adjust)[keep, keep])
  }
  list(theta = flat(coef(fit)[keep]), information = flat(vcov(fit)[keep, keep]),
       single = by(long$vote, FALSE), prompt = by(votes$prompt[row], TRUE))
}

save_json("votes", list(
  votes = votes, plain = half(x), position = half(cbind(x, 1)),
  longer = half(cbind(x, 1, votes$longer)), weighted = half(cbind(x, 1), votes$weight),
  bt = bt(FALSE), bt_position = bt(TRUE),
  davidson_gnm = generalized(), davidson = loglinear()
), c("BradleyTerry2", "gnm", "sandwich"))
