import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isPublic } from "../public-address.ts";

type RedactOptions = {
  /** The words of our own texts, in lower case. Any other word is left out. */
  words: ReadonlySet<string>;
  /** Texts that people have entered, such as names of nodes: left out even where they consist of several known words. */
  entered: readonly string[];
};

const LEFT_OUT = "[…]";
/** Shorter ones would be found within other words. */
const SHORTEST_ENTERED = 4;
/** Longer texts of ours do not exist; the rest is left out. */
const LONGEST = 2_000;

/** A word of ours is shorter. The patterns below take quadratic time. */
const LONGEST_TOKEN = 100;

const QUOTED = /"[^"]*"|“[^”]*”|„[^“]*“|「[^」]*」|『[^』]*』|`[^`]*`/g;
const TOKEN = /^([("'[{<]*)(.*?)([)"'\]}>.,:;!?…]*)$/su;
/** Languages without spaces: their letters in a row, their punctuation, and what is in between, such as a code. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const UNSPACED_PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[\u3001-\u301F\u30FB\uFF01-\uFF0F\uFF1A-\uFF20]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\u3001-\u301F\u30FB\uFF01-\uFF0F\uFF1A-\uFF20]+/gu;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const WEB_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const E_MAIL = /^[^@\s]+@[^@\s]+$/;
const NUMBER = /^\d{1,4}(?:\.\d{1,2})?(?:ms|s|m|h|d|%)?$/;
const WORDS_IN_TOKEN = /[-/._:]/;
const PUNCTUATION = /^[^\p{L}\p{N}]{1,2}$/u;

/**
 * Makes the function that leaves out of a text everything that could be secret or about persons: it keeps only words
 * of our own texts and short numbers. Addresses are shortened, and of a URL only its kind is kept.
 * @example
 * redact("refused by https://acme.com for 0x1234567890123456789012345678901234567890");
 * // → "refused by [public URL] for 0x1234…7890"
 */
export function redactor({ words, entered }: RedactOptions): (text: string) => string {
  // A node that is called "channel" must not make every sentence about a channel unreadable.
  const isTelling = (one: string) => one.length >= SHORTEST_ENTERED && !words.has(one.toLowerCase());
  const hidden = anyOf(entered.map((one) => one.trim()).filter(isTelling));
  return (text) => {
    const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)} ${LEFT_OUT}` : text;
    const anonymous = (hidden ? cut.replace(hidden, LEFT_OUT) : cut).replace(QUOTED, LEFT_OUT);
    const tokens = anonymous.split(/\s+/).filter(Boolean);
    const shown = tokens.map((token) =>
      UNSPACED.test(token) ? showUnspaced(token, words) : showToken(token, words),
    );
    return withoutRuns(shown).join(" ");
  };
}

/** One mark for several words. Numbers side by side could be one long number. */
function withoutRuns(shown: readonly string[]): string[] {
  const isNumber = (token: string | undefined) => token !== undefined && /^\W*\d/.test(token);
  const single = shown.map((token, index) =>
    isNumber(token) && (isNumber(shown[index - 1]) || isNumber(shown[index + 1])) ? LEFT_OUT : token,
  );
  return single.filter((token, index) => token !== LEFT_OUT || single[index - 1] !== LEFT_OUT);
}

/** The longest first: a part of a text must not leave the rest of it. Only whole words. */
function anyOf(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined;
  const longestFirst = [...new Set(texts)].sort((one, other) => other.length - one.length);
  const alternatives = longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join("|")})(?![\\p{L}\\p{N}])`, "gui");
}

/** An address, or what looks like one, as people recognize it: `0x1234…abcd`. Anything else is left out. */
export function shortened(address: string): string {
  return ADDRESS.test(address) ? `${address.slice(0, 6)}…${address.slice(-4)}` : LEFT_OUT;
}

/**
 * What such a language says between two other characters is shown if it stands so in our texts. A name beside it makes
 * it another text, which is left out as a whole.
 */
function showUnspaced(token: string, words: ReadonlySet<string>): string {
  const parts = token.match(UNSPACED_PARTS) ?? [];
  const isOnlyNumber = parts.filter((part) => /\p{N}/u.test(part)).length <= 1;
  const shown = parts.map((part) => {
    if (UNSPACED.test(part)) return words.has(part) ? part : LEFT_OUT;
    if (/^[^\p{L}\p{N}]+$/u.test(part)) return part.slice(0, 2);
    return isOnlyNumber || !/\p{N}/u.test(part) ? showToken(part, words) : LEFT_OUT;
  });
  return shown.filter((part, index) => part !== LEFT_OUT || shown[index - 1] !== LEFT_OUT).join("");
}

function showToken(token: string, words: ReadonlySet<string>): string {
  if (token.includes(LEFT_OUT) || token.length > LONGEST_TOKEN) return LEFT_OUT;
  if (PUNCTUATION.test(token)) return token;
  const [, before = "", core = "", after = ""] = TOKEN.exec(token) ?? [];
  const kept = showCore(core, words);
  return kept === LEFT_OUT ? kept : `${before.slice(0, 2)}${kept}${after.slice(0, 2)}`;
}

function showCore(core: string, words: ReadonlySet<string>): string {
  if (ADDRESS.test(core)) return shortened(core);
  if (WEB_ADDRESS.test(core)) return kindOfUrl(core);
  if (E_MAIL.test(core)) return "[e-mail address]";
  const parts = core.split(WORDS_IN_TOKEN);
  const numbers = parts.filter((part) => NUMBER.test(part));
  // Several numbers in one token could be one long number, such as that of a card.
  const isKnown = numbers.length <= 1 && parts.every((part) => NUMBER.test(part) || isKnownWord(part, words));
  return isKnown || NUMBER.test(core) ? core : LEFT_OUT;
}

/** Also of a name such as `minRequiredSignatures`. A key in mixed case consists of no words. */
function isKnownWord(part: string, words: ReadonlySet<string>): boolean {
  const parts = part.split(/(?<=[a-z])(?=[A-Z])/);
  return parts.every((one) => /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+)$/u.test(one) && words.has(one.toLowerCase()));
}

function kindOfUrl(url: string): string {
  return isPublic(url) ? "[public URL]" : "[local URL]";
}

/** The words of the texts in our sources, made by the build. Those of other languages are in the catalogs beside it. */
declare const OWN_WORDS: string;

const ENGLISH = "en-US";

/** In lower case, in all languages of the package. */
export async function ownWords(): Promise<ReadonlySet<string>> {
  const folders = ["nodes/locales", "plugins/locales", "errors"].map((folder) => join(__dirname, folder));
  const texts = await Promise.all(folders.map(catalogsIn));
  return new Set([...OWN_WORDS.split(" "), ...translatedWords(texts.flat().join("\n"))]);
}

/** The catalogs in a folder, but for the English ones. Without one that cannot be read, diagnostics show fewer words. */
async function catalogsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true }).catch((): string[] => []);
  const catalogs = files.filter((file) => file.endsWith(".json") && !file.startsWith(ENGLISH));
  return Promise.all(catalogs.map((file) => readFile(join(folder, file), "utf8").catch(() => "")));
}

/** Languages without spaces have no words that could be found: what stands between two other characters counts as one. */
const CATALOG_WORD = /\p{Script=Latin}{2,40}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;

/** The words of catalogs, in lower case: of their texts, and not of their keys. */
export function translatedWords(catalogs: string): Set<string> {
  const texts = [...catalogs.matchAll(/": ?"((?:[^"\\\n]|\\.)*)"/g)].map(([, text = ""]) => text);
  return new Set([...texts.join("\n").matchAll(CATALOG_WORD)].map(([word]) => word.toLowerCase()));
}
