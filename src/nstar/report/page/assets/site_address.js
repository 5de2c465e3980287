// Snippets for other sites, which need to say where this one stands.

/** Put the address of this site into snippets for other sites. */
function realAddresses() {
  const here = new URL(".", location.href).href;
  document.querySelectorAll("[data-address]").forEach((node) => {
    node.textContent = node.textContent.replace(/(?<=["(])(?=(?:embed|index)\.html|badge\.svg)/g,
      here.replaceAll("$", "$$$$"));
  });
}

realAddresses();
