import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { REFUSALS } from "../../src/http/refusals.ts";
import { VERIFY_REASONS } from "../../src/index.ts";
import { QUERY_ERROR_CODES } from "../../src/protocol/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Written in the sources, but of others: of the HTTP client, of Node.js, and variables of the environment. */
const FOREIGN = /_PROXY$|^(CREC|AWS|UND_ERR|HPE|ERR|CERT|CRL|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|HOSTNAME)_/;
/** Words of the key services: states, kinds of keys, algorithms. */
const OF_KEY_SERVICES = /^(PENDING_|ECDSA_|RSA|ECC_|MPC_)|^(SIGN_VERIFY|TYPED_MESSAGE|VAULT_ACCOUNT)$/;
/** What a text put together can come to, by its beginning in the sources. */
const COMPOSED: Readonly<Record<string, readonly string[]>> = {
  // Each kind of config node that another may lack.
  "${kind.toUpperCase()}_MISSING": ["CONNECTION", "CHANNEL", "CONTRACT", "WALLET", "SIGNER"].map(
    (kind) => `${kind}_MISSING`,
  ),
  "${noun}_${status}": [
    ...["WATCHER_FAILED", "WATCHER_ARCHIVING", "WATCHER_ARCHIVED", "WATCHER_ARCHIVE_FAILED"],
    ...["WALLET_FAILED", "WALLET_ARCHIVED", "QUERY_FAILED", "QUERY_EXPIRED"],
    ...["OPERATION_FAILED", "OPERATION_CANCELLED", "OPERATION_EXPIRED"],
  ],
};

/** Whether what is put together is a code, and not a sentence or a path. */
const isCode = (template: string) => /^[A-Z_]+$/.test(template.replaceAll(/\$\{[^}]*\}/g, ""));

/** All that runs outside of the editor, as one text. */
function sources(): string {
  const files = ["nodes", "plugins", "src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(?!editor).*\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.includes("nodes/lib/editor")),
  );
  return files.map((file) => readFileSync(file, "utf8")).join("\n");
}

/** Every code the sources can throw. */
function thrown(): Set<string> {
  const text = sources();
  const find = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? "");
  const composed = find(/(?:nodeError|new \w*Error|super)\(\s*`([^`]*)`/g).filter(isCode);
  const unknown = composed.filter((template) => !(template in COMPOSED));
  should(unknown).deepEqual([], "The test has to learn what these codes can come to.");
  const plain = [
    // One word is only taken for a code where it is one, two words anywhere.
    ...find(/(?:nodeError|new \w*Error|super)\(\s*(?:[\w.]+ \?\? )?"([A-Z]+)"/g),
    ...find(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g),
  ];
  return new Set([
    ...plain.filter((code) => !FOREIGN.test(code) && !OF_KEY_SERVICES.test(code)),
    ...Object.keys(REFUSALS),
    ...composed.flatMap((template) => COMPOSED[template] ?? []),
  ]);
}

/** The codes in the first column of the tables: those of errors, of failed queries, of rejected proofs. */
function documented(): { codes: string[]; queryReasons: string[]; verifyReasons: string[] } {
  const page = readFileSync(join(root, "docs/errors.md"), "utf8");
  const columns = (columnCount: number, section: string) =>
    [...section.matchAll(/^\| (`[^|]*`) \|(.*)\|$/gm)]
      .filter((row) => (row[2] ?? "").split(" | ").length === columnCount - 1)
      .flatMap((row) => [...(row[1] ?? "").matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ""));
  return { codes: columns(4, page), verifyReasons: columns(3, page), queryReasons: columns(2, page) };
}

describe("the page of errors", () => {
  it("has every code that can be thrown, once, and none that cannot", () => {
    const { codes, queryReasons } = documented();
    const known = thrown();
    should([...known].filter((code) => ![...codes, ...queryReasons].includes(code)).sort()).deepEqual(
      [],
      "not in docs/errors.md",
    );
    should(codes.filter((code, index) => !known.has(code) || codes.indexOf(code) !== index)).deepEqual(
      [],
      "gone, or twice",
    );
  });

  it("has every reason for which a query fails", () => {
    const { codes, queryReasons } = documented();
    should(QUERY_ERROR_CODES.filter((code) => ![...codes, ...queryReasons].includes(code))).be.empty();
  });

  it("has every reason for which a proof or an expectation is not met", () => {
    const { verifyReasons } = documented();
    should(VERIFY_REASONS.filter((reason) => !verifyReasons.includes(reason))).be.empty();
    const text = sources();
    should(verifyReasons.filter((reason) => !text.includes(`"${reason}"`))).be.empty();
  });
});
