# Shared by every topic: save(topic, list_of_tables, packages) writes <topic>.json.
# A table is a data frame, stored by column; 15 significant digits; NA becomes null.
# jsonlite would turn Inf into null as well, so infinite values are refused here.
save_json <- function(topic, tables, packages = character()) {
  bad <- vapply(tables, function(t) any(is.infinite(unlist(t[vapply(t, is.numeric, NA)]))), NA)
  stopifnot(!any(bad))
  versions <- vapply(c("jsonlite", packages), function(p) as.character(packageVersion(p)), "")
  meta <- list(topic = topic, r = R.version.string, packages = as.list(versions))
  text <- jsonlite::toJSON(list(meta = meta, tables = tables), dataframe = "columns",
                           digits = NA, auto_unbox = TRUE, na = "null", null = "null")
  # one column per line: a changed value is a readable diff
  text <- gsub('\\],"', '],\n"', gsub(':\\{"', ':{\n"', text))
  writeLines(text, paste0(topic, ".json"))
}

rows <- function(...) do.call(rbind, list(...))

# expand.grid without factors, first argument fastest
grid <- function(...) expand.grid(..., KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE)

# map a function over the rows of a data frame; it returns a named list or vector of numbers
each_row <- function(df, f) {
  out <- lapply(seq_len(nrow(df)), function(i) as.list(do.call(f, as.list(df[i, , drop = FALSE]))))
  cbind(df, do.call(rbind, lapply(out, as.data.frame)))
}

# E g(S) for S = sqrt(chisq_df / df), over lower < S < upper, by adaptive quadrature in 64 pieces
over_chi <- function(g, df, lower = 0, upper = Inf) {
  from <- max(lower, sqrt(qchisq(1e-18, df) / df))
  to <- min(upper, sqrt(qchisq(1e-18, df, lower.tail = FALSE) / df))
  if (to <= from) return(0)
  density <- function(s) exp(dchisq(df * s * s, df, log = TRUE) + log(2 * df * s))
  cuts <- seq(from, to, length.out = 65)
  sum(vapply(1:64, function(i) {
    integrate(function(s) g(s) * density(s), cuts[i], cuts[i + 1],
              rel.tol = 1e-12, abs.tol = 1e-16, stop.on.error = FALSE)$value
  }, 0))
}
