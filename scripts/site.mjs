// @ts-check
// npm run site: makes the documentation as static pages, in site/dist.
//
//   npm run site              installs the tools of site/ if needed, and builds
//   npm run site -- --serve   then serves the pages on 127.0.0.1, at PORT (4173)

import { parseArgs } from "node:util";
import { freePort } from "./lib/ports.mjs";
import { buildSite } from "./lib/site.mjs";
import { servePages } from "./lib/static-server.mjs";

const { values } = parseArgs({ options: { serve: { type: "boolean", default: false } } });
try {
  const { folder, base, pages } = await buildSite();
  process.stdout.write(`built ${pages} pages in ${folder}\n`);
  if (values.serve) {
    const port = await freePort("PORT", 4173, "the pages");
    const { url } = await servePages(folder, { base, port });
    process.stdout.write(`ready ${url}\nCtrl-C stops it.\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
