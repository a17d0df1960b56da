// @ts-check
// Preloaded (`--import`) into the launchers: says in one sentence that this Node.js cannot run TypeScript directly, which the
// sources are. `npm install` puts such a version into node_modules, where npm scripts find it first, unless npm is set to run
// no install scripts.
import { existsSync } from "node:fs";

if (!process.features.typescript) {
  const isInstalled = existsSync(new URL("../../node_modules/node/package.json", import.meta.url));
  const remedy = isInstalled ? "npm rebuild node --ignore-scripts=false" : "npm install";
  process.stderr.write(
    `This needs the Node.js 24 that "npm install" puts into node_modules, but runs on ${process.version}: run "${remedy}", then try again.\n`,
  );
  process.exit(1);
}
