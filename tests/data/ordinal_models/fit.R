# The values of EXPECTED.json, by R's ordinal::clmm (Laplace): Rscript fit.R > EXPECTED.json
# Run in the folder of this file. Tolerances are tight, so that six digits can be relied on.
library(ordinal)

control <- clmm.control(
  method = "nlminb", gradTol = 1e-9, maxIter = 200,
  rel.tol = 1e-14, x.tol = 1e-11, eval.max = 5000, iter.max = 5000
)
intercepts <- "(1 | rater) + (1 | item)"
correlated <- "(0 + system | rater) + (0 + system | item)"
both <- "(1 | rater) + (1 | rater:system) + (1 | item) + (1 | item:system)"

imagenhub <- function() {
  # Semantic consistency, the first of the two numbers in a cell, of three systems.
  folder <- "../imagenhub/data/Multi-Subject_IG"
  parts <- lapply(1:3, function(rater) {
    file <- file.path(folder, sprintf("Multi-Subject_IG_rater%d.tsv", rater))
    wide <- read.delim(file, check.names = FALSE, colClasses = "character")
    do.call(rbind, lapply(names(wide)[-1], function(system) data.frame(
      item = wide[[1]], system = system, rater = rater,
      score = as.numeric(sub("^\\[([0-9.]+),.*", "\\1", wide[[system]]))
    )))
  })
  do.call(rbind, parts)
}

fit <- function(name, terms) {
  data <- if (name == "imagenhub") imagenhub() else read.csv(file.path("data", paste0(name, ".csv")))
  for (column in c("item", "system", "rater")) data[[column]] <- factor(data[[column]])
  data$score <- factor(data$score, ordered = TRUE)
  formula <- as.formula(paste("score ~ system +", terms))
  made <- clmm(formula, data, control = control)
  # clmm's own second derivatives have two to three digits; these are Richardson's.
  likelihood <- clmm(formula, data, control = control, doFit = FALSE)
  at <- made$optRes$par
  inside <- !(seq_along(at) > length(coef(made)) & at == 0)
  ordinal:::setPar.clmm(likelihood, at)
  hessian <- numDeriv::hessian(function(par) {
    at[inside] <- par
    ordinal:::getNLA(likelihood, at)
  }, at[inside])
  se <- setNames(sqrt(diag(solve(hessian)))[seq_along(coef(made))], names(coef(made)))
  numbers <- function(x) paste(sprintf('"%s": %.8f', names(x), x), collapse = ", ")
  spreads <- do.call(c, lapply(names(VarCorr(made)), function(term) {
    sd <- attr(VarCorr(made)[[term]], "stddev")
    setNames(sd, if (length(sd) == 1) term else paste(term, names(sd)))
  }))
  sprintf(
    ' {"data": "%s", "terms": "%s", "n": %d, "log_likelihood": %.8f, "max_gradient": %.1e,\n  "estimate": {%s},\n  "se": {%s},\n  "sd": {%s}}',
    name, terms, nrow(data), made$logLik, max(abs(made$gradient)),
    numbers(coef(made)), numbers(se), numbers(spreads)
  )
}

fits <- c(
  fit("wine", intercepts),
  fit("wine", "(0 + system | rater) + (1 | item)"),
  fit("two", intercepts), fit("two", both), fit("two", correlated),
  fit("three", intercepts), fit("three", both),
  fit("imagenhub", intercepts)
)
cat(sprintf(
  '{"computed_with": {"R": "%s", "ordinal": "%s"},\n"fits": [\n%s\n]}\n',
  getRversion(), packageVersion("ordinal"), paste(fits, collapse = ",\n")
))
