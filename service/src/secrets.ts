import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** The content of a secret file, made at the first start. A file of this name is never half written. */
export function secretFile(file: string, make: () => string): string {
  if (!existsSync(file)) {
    const unfinished = `${file}.new`;
    writeFileSync(unfinished, make(), { mode: 0o600, flush: true });
    renameSync(unfinished, file);
  }
  return readFileSync(file, "utf8").trim();
}

/** 32 bytes that look random, and are the same for the same seed and purpose. Anyone who knows the seed can compute them. */
export function seededBytes(seed: number, purpose: string): Buffer {
  return createHash("sha256").update(`local service, seed ${seed}, ${purpose}`).digest();
}
