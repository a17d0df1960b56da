// Where this package keeps its files. The sources are in src/, the built files in dist/: both one folder below it.
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the package, by its path from the package's folder. */
export function ownFile(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

/** A module that runs as a process of its own, by its path without extension: TypeScript here, JavaScript when built. */
export function ownProgram(path: string): string {
  const extension = extname(new URL(import.meta.url).pathname);
  return fileURLToPath(new URL(`./${path}${extension}`, import.meta.url));
}
