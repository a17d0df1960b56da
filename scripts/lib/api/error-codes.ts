// The codes of errors and the reasons of rejected proofs: which the sources can throw, and which docs/errors.md has.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REFUSALS } from "../../../src/http/answer.ts";
import { root } from "../paths.mjs";

/** Written in the sources, but of others: of the HTTP client, of Node.js, and variables of the environment. */
const FOREIGN = /_PROXY$|^(CREC|AWS|UND_ERR|HPE|ERR|CERT|CRL|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|HOSTNAME)_/;
/** Words of the key services: states, kinds of keys, algorithms. */
const OF_KEY_SERVICES = /^(PENDING_|ECDSA_|RSA|ECC_|MPC_)|^(SIGN_VERIFY|TYPED_MESSAGE|VAULT_ACCOUNT)$/;
/** Of the PostgreSQL client: `problems.ts` makes sentences of them. */
const OF_POSTGRESQL = /^CONNECTION_CLOSED$/;
/** What a text put together can come to, by its beginning in the sources. */
const COMPOSED: Readonly<Record<string, readonly string[]>> = {
  // Each kind of config node that another may lack.
  "${noun}_${status}": [
    ...["WATCHER_FAILED", "WATCHER_ARCHIVING", "WATCHER_ARCHIVED", "WATCHER_ARCHIVE_FAILED"],
    ...["WALLET_FAILED", "WALLET_ARCHIVED", "QUERY_FAILED", "QUERY_EXPIRED"],
    ...["OPERATION_FAILED", "OPERATION_CANCELLED", "OPERATION_EXPIRED"],
  ],
};

/** Whether what is put together is a code, and not a sentence or a path. */
const isCode = (template: string) => /^[A-Z_]+$/.test(template.replaceAll(/\$\{[^}]*\}/g, ""));

/** All that runs outside of the editor, as one text. */
export function runtimeSources(): string {
  const files = ["nodes", "plugins", "rehearsal", "src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(?!editor).*\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !/[\\/]nodes[\\/]common[\\/]editor[\\/]/.test(file)),
  );
  return files.map((file) => readFileSync(file, "utf8")).join("\n");
}

/**
 * Every code that the sources can throw.
 *
 * @param text of the sources
 * @throws {Error} for a code that is put together in a way that COMPOSED does not have
 */
export function thrownCodes(text: string): Set<string> {
  const find = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? "");
  const composed = find(/(?:nodeError|translatedError|new \w*Error|super)\(\s*`([^`]*)`/g).filter(isCode);
  const unknown = composed.filter((template) => !(template in COMPOSED));
  if (unknown.length > 0) {
    throw new Error(`Add what these codes can come to to COMPOSED in error-codes.ts: ${unknown.join(", ")}`);
  }
  const plain = [
    // One word is only taken for a code where it is one, two words anywhere.
    ...find(/(?:nodeError|translatedError|new \w*Error|super)\(\s*(?:[\w.]+ \?\? )?"([A-Z]+)"/g),
    ...find(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g),
  ];
  return new Set([
    ...plain.filter(
      (code) => !FOREIGN.test(code) && !OF_KEY_SERVICES.test(code) && !OF_POSTGRESQL.test(code),
    ),
    ...Object.keys(REFUSALS),
    ...composed.flatMap((template) => COMPOSED[template] ?? []),
  ]);
}

/**
 * A row of a table of docs/errors.md: those of errors have four columns, of rejected proofs three, of failed queries two.
 */
type DocumentedCode = { code: string; kind: "error" | "proof" | "query"; section: string };
const KINDS = { 4: "error", 3: "proof", 2: "query" } as Readonly<Record<number, DocumentedCode["kind"]>>;

export function documentedCodes(): DocumentedCode[] {
  const found: DocumentedCode[] = [];
  let section = "";
  for (const line of readFileSync(join(root, "docs/errors.md"), "utf8").split("\n")) {
    section = /^## (.*)$/.exec(line)?.[1] ?? section;
    const [, first = "", rest = ""] = /^\| (`[^|]*`) \|(.*)\|$/.exec(line) ?? [];
    const kind = KINDS[rest.split(" | ").length + 1];
    if (first === "" || kind === undefined) continue;
    for (const [, code = ""] of first.matchAll(/`(\w+)`/g)) found.push({ code, kind, section });
  }
  return found;
}

/** Each documented code with the section of docs/errors.md. */
export function errorsReport(): Record<string, string> {
  const lines = documentedCodes().map(({ code, kind, section }) => [`${kind} ${code}`, section]);
  return Object.fromEntries(lines.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
}
