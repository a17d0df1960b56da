import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** What a secret file says: made at the first start, found again later. A file of this name is always whole. */
export function secretFile(file: string, make: () => string): string {
  if (!existsSync(file)) {
    const unfinished = `${file}.new`;
    writeFileSync(unfinished, make(), { mode: 0o600, flush: true });
    renameSync(unfinished, file);
  }
  return readFileSync(file, "utf8").trim();
}
