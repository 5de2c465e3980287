// Ratings from votes: the table as it was written, to be sorted and searched.

startCopying();
startModels(document.querySelector("#ranking table"));
document.documentElement.dataset.ready = "true";
