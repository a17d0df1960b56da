// Makes package-lock.json, and those of site/ and of release/tools, the file that npm 10, 11 and 12 all write. npm itself does
// not:
//
// - It has the optional binaries of all platforms. npm leaves out those that it cannot fetch while it writes, and
//   `npm ci` on such a platform then installs no binary, without an error. An entry needs no more than a version
//   and a platform: npm skips it elsewhere, and fetches it by name where it fits.
// - It has no `libc`. npm 11 and 12 write it for new entries, npm 10 removes it from all.
//
//   node scripts/complete-lockfile.ts
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type LockEntry = {
  version?: string;
  cpu?: string[];
  dev?: true;
  libc?: string[];
  optional?: true;
  os?: string[];
  optionalDependencies?: Record<string, string>;
};

const SYSTEMS = /^(?:aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)$/;
const PROCESSORS = /^(?:arm|arm64|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)$/;
const LOCKS = ["", "site/", "release/tools/bundlers/", "release/tools/recipes/"];
const EXACT_VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** @param text of a lock file. @returns the completed text, and the places of the entries it did not have */
export function complete(text: string): { text: string; added: string[] } {
  const lock = JSON.parse(text);
  const missing = missingBinaries(lock.packages);
  lock.packages = Object.fromEntries(
    Object.entries<LockEntry>({ ...lock.packages, ...missing })
      .map(([place, { libc: _dropped, ...entry }]) => [place, entry] as const)
      // The order in which npm writes them.
      .sort(([a], [b]) => a.localeCompare(b, "en")),
  );
  return { text: `${JSON.stringify(lock, null, 2)}\n`, added: Object.keys(missing) };
}

/** The missing entries, by their path in the lock file. */
function missingBinaries(packages: Record<string, LockEntry>): Record<string, LockEntry> {
  const missing: Record<string, LockEntry> = {};
  for (const [parentPlace, parent] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const place = `node_modules/${name}`;
      // The platform is in the name, such as `@biomejs/cli-linux-arm64-musl`.
      const words = name.split(/[-/]/).map((word) => (word === "amd64" ? "x64" : word));
      const os = words.findLast((word) => SYSTEMS.test(word));
      const cpu = words.findLast((word) => PROCESSORS.test(word));
      if (os === undefined || cpu === undefined || !EXACT_VERSION.test(version)) continue;
      if (packages[place] !== undefined || packages[`${parentPlace}/${place}`] !== undefined) continue;
      const dev = parent.dev ? ({ dev: true } as const) : {};
      missing[place] = { version, cpu: [cpu], ...dev, optional: true, os: [os] };
    }
  }
  return missing;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of LOCKS.map((folder) => `${folder}package-lock.json`)) {
    const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
    const before = readFileSync(path, "utf8");
    const { text, added } = complete(before);
    if (text !== before) writeFileSync(path, text);
    const told = added.length === 0 ? "complete" : `added ${added.length}:\n  ${added.join("\n  ")}`;
    process.stdout.write(`${file}: ${told}\n`);
  }
}
