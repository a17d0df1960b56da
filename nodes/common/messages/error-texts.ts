import { AsyncLocalStorage } from "node:async_hooks";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Translate } from "../context.ts";
import {
  type CodedError,
  isTranslated,
  type ProxyFault,
  proxyFault,
  toCodedError,
  translatedError,
} from "../shared/errors.ts";
import { cutAtWord } from "../shared/text.ts";

// The sentences of errors are written in English, where they are thrown. In another language, what the code means and
// what to do comes first, and the sentence with its names and values follows in brackets.

/** By code. */
type Texts = Readonly<Record<string, string>>;

const STATUS_LENGTH = 48;
/** The address is what a person looks for: the sentence names its cause. */
const UNREACHABLE = /^The (service|proxy) at (\S+?),? .*cannot be reached: /;
const AT_PROXY: Readonly<Record<ProxyFault, string>> = {
  PROXY_UNREACHABLE: "proxy unreachable",
  PROXY_REFUSED: "proxy does not connect",
  PROXY_CERTIFICATE: "proxy not trusted",
};
const CALL_PATH = /\bcalls\[(\d{1,3})\](?:\.args)?(?:\.((?:\w+)(?:\[\d+\]|\.\w+)*)|\[(\d{1,3})\])?/g;

let ofNodeRed = (): string => "en-US";
const ofAsker = new AsyncLocalStorage<string>();

/** Reports errors in the language of this Node-RED. */
export function useLanguageOf(t: Translate): void {
  // Node-RED falls back to English by itself where it has no texts of ours.
  ofNodeRed = () => t("common.language");
}

/** Reports the errors of `work` in the language of the person who asked, if it is known. */
export function inLanguage<T>(tag: string | undefined, work: () => T): T {
  return tag === undefined ? work() : ofAsker.run(tag, work);
}

/** What a person is to read: paths of calls in words, and in other languages with the translation before its text. */
export function toldError(thrown: unknown): CodedError {
  const error = toCodedError(thrown);
  const translation = translationOf(error);
  const said = inCalls(error.message);
  if (translation === undefined && said === error.message) return error;
  const text = translation === undefined ? said : said === "" ? translation : `${translation} (${said})`;
  // A copy: the error itself can be stored, compared, and reported again.
  const { message, toString: _, stack, ...others } = Object.getOwnPropertyDescriptors(error);
  const told = translatedError(error.code, text);
  Object.defineProperties(Object.setPrototypeOf(told, Object.getPrototypeOf(error)), others);
  told.stack = error.stack ?? "";
  return told;
}

/** The text of `toldError`. */
export function errorText(thrown: unknown): string {
  return toldError(thrown).message;
}

/** The first sentence of an error, cut at a word so that it fits under a node. */
export function shortText(error: Error): string {
  const { host } = error as { host?: string };
  const fault = proxyFault(error as CodedError);
  const [, found, written] = UNREACHABLE.exec(error.message) ?? [];
  const place = (fault && host) ?? written;
  const translation = translationOf(error);
  if (place) {
    const what = fault ? AT_PROXY[fault] : `${found} unreachable`;
    return cutAtWord(`${translation ? firstSentence(translation) : what}: ${place}`, STATUS_LENGTH);
  }
  const sentence = firstSentence(inCalls(error.message));
  if (translation === undefined) return cutAtWord(sentence, STATUS_LENGTH);
  const short = firstSentence(translation);
  const both = `${short} (${sentence})`;
  return both.length <= STATUS_LENGTH ? both : cutAtWord(short, STATUS_LENGTH);
}

/** `calls[0].args.amounts[2]` is `amounts[2] in call 1`, and `args.amounts` of a query `amounts`. The path itself stays in the error's `path`. */
function inCalls(text: string): string {
  return text
    .replace(/^args\.(?=\w)/, "")
    .replace(/(?<=calls\[\d+\]\.)args(?![.[\w])/g, "values")
    .replace(CALL_PATH, (_, call: string, name = "", number?: string) => {
      const value = number === undefined ? name : `value ${Number(number) + 1}`;
      return `${value ? `${value} in ` : ""}call ${Number(call) + 1}`;
    });
}

function firstSentence(text: string): string {
  const sentence = text.split(/(?<=[.!?])\s|(?<=。)/, 1)[0] ?? "";
  return sentence.replace(/[.:。]$/, "");
}

function translationOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code !== "string" || isTranslated(error)) return undefined;
  const texts = textsIn(ofAsker.getStore() ?? ofNodeRed());
  // The library has one code for all hops, and the catalogs have words for each.
  const key = (code.startsWith("SIGNER_") ? undefined : proxyFault(error as CodedError)) ?? code;
  return texts && Object.hasOwn(texts, key) ? texts[key] : undefined;
}

/** Read when first needed. Undefined for English. */
const read = new Map<string, Texts>();
let files: ReadonlyMap<string, string> | undefined;

function textsIn(tag: string): Texts | undefined {
  files ??= filesOfErrors();
  const path = files.get(tag.toLowerCase()) ?? files.get(tag.toLowerCase().split("-", 1)[0] ?? "");
  if (path === undefined) return undefined;
  const known = read.get(path) ?? readTexts(path);
  read.set(path, known);
  return known;
}

/** An error is reported in English rather than not at all. */
function readTexts(path: string): Texts {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Texts;
  } catch {
    return {};
  }
}

/** By language. The build puts them into a folder beside the code. */
function filesOfErrors(): ReadonlyMap<string, string> {
  // Code that runs from its sources, as a part under test, has no such folder.
  if (typeof __dirname !== "string") return new Map();
  const folder = join(__dirname, "errors");
  return new Map(
    namesIn(folder).map((name) => [name.replace(/\.json$/, "").toLowerCase(), join(folder, name)]),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
