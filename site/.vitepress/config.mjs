// @ts-check

import { join } from "node:path";
import { readOwner } from "../../scripts/lib/owner.mjs";
import { anchorOf } from "../../scripts/packing/links.ts";
import { useRepositoryLinks } from "../lib/links.mjs";
import { sidebar } from "../lib/navigation.mjs";
import { baseOf, pagesFolder, site } from "../lib/places.mjs";

const owner = await readOwner();

export default {
  title: "node-red-crec",
  description: "Node-RED nodes, a TypeScript client and a local service for the CRE Connect channel service",
  lang: "en",
  head: [["link", { rel: "icon", href: `${baseOf(owner)}favicon.svg` }]],
  base: baseOf(owner),
  srcDir: pagesFolder,
  outDir: join(site, "dist"),
  cacheDir: join(site, ".cache/vitepress"),
  lastUpdated: false,
  markdown: {
    anchor: { slugify: anchorOf },
    /** @param {import("../lib/links.mjs").MarkdownIt} md */
    config: (md) => useRepositoryLinks(md, owner),
  },
  vite: { build: { chunkSizeWarningLimit: 10_000 }, publicDir: join(pagesFolder, "public") },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guides", link: "/guides" },
      { text: "Nodes", link: "/nodes/" },
      { text: "Examples", link: "/examples/" },
      { text: "Reference", link: "/reference/" },
    ],
    sidebar: sidebar(),
    ...(owner.repository === "" ? {} : { socialLinks: [{ icon: "github", link: owner.repository }] }),
    footer: {
      message:
        "This project is independent of Chainlink. It is not made, endorsed or supported by Chainlink.",
    },
  },
};
