// npm run site: makes the documentation as static pages, in site/dist; with --serve, also serves them on 127.0.0.1, at PORT
// (4173). No tool makes pages of the repository's own files and links.
import { freePort } from "./lib/ports.mjs";
import { buildSite, servePages } from "./lib/site.ts";

try {
  process.stdout.write(`built ${await buildSite()} pages in site/dist\n`);
  if (process.argv.includes("--serve")) {
    const { url } = await servePages(await freePort("PORT", 4173, "the pages"));
    process.stdout.write(`ready ${url}\nCtrl-C stops it.\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
