// Hides secrets in texts that others wrote. An answer may repeat what it was sent: as it is, in part, or recoded.

/** Gives the text without the secrets. */
export type Mask = (text: string) => string;

const MASK = "***";
/** So many characters of a secret in a row are hidden. */
const RUN = 8;
/** So many characters of base64 hold eight bytes in each of its three alignments, without what is beside them. */
const RUN_BASE64 = 10;
/** Escapes within escapes, as a proxy makes them. */
const LEVELS = 3;

/**
 * Hides each run of 8 or more characters of these secrets, in either case, also in base64, base64url and hex, and with
 * escapes of HTML, JSON and addresses. A secret of fewer characters is hidden as a whole word. Other ways to write a
 * secret are not recognized.
 *
 * @param isWhole hides only whole secrets: for what is not only shown, and may have a part of one by chance
 */
export function maskOf(secrets: readonly string[], { isWhole = false } = {}): Mask {
  const known = [...new Set(secrets)].filter((secret) => secret !== "");
  if (known.length === 0) return (text) => text;
  const scans = scansFor(known, isWhole);
  return (text) => {
    const hidden: Span[] = [];
    let read: Read = { characters: text };
    for (let level = 0; ; level += 1) {
      for (const scan of scans) for (const span of found(read, scan)) hidden.push(span);
      const decoded = level < LEVELS ? unescaped(read) : undefined;
      if (decoded === undefined) break;
      read = decoded;
    }
    return hidden.length === 0 ? text : without(text, hidden);
  };
}

/** A part of the text: from a place to before another. */
type Span = [start: number, end: number];

/** Characters, with the part of the text that each one was read from. Without, it is the one at the same place. */
type Read = { characters: string; spans?: readonly Span[] };

/** Characters made alike, and the place of each in what they were made from. Without, it is the same place. */
type Alike = { text: string; places?: readonly number[] };

/** What to look for, in characters that were made alike. */
type Scan = { runs: readonly Runs[]; alike: (characters: string) => Alike; isWord: boolean };

function scansFor(secrets: readonly string[], isWhole: boolean): Scan[] {
  const long = secrets.filter((secret) => secret.length >= RUN);
  const short = secrets.filter((secret) => secret.length < RUN);
  // Addresses are written by bytes.
  const inBytes = long.map((secret) => Buffer.from(secret).toString("latin1"));
  const inHex = long.map((secret) => Buffer.from(secret).toString("hex"));
  const inBase64 = long.flatMap((secret) => [0, 1, 2].map((offset) => base64At(secret, offset)));
  const runsOf = (texts: readonly string[], length: number, step = 1): Runs[] =>
    isWhole ? texts.map((text) => new Runs([text], text.length)) : [new Runs(texts, length, step)];
  const inWords = short.map((secret) => new Runs([plain(secret)], secret.length));
  return [
    { runs: runsOf([...new Set([...long, ...inBytes].map(plain))], RUN), alike: inPlain, isWord: false },
    { runs: inWords, alike: inPlain, isWord: true },
    { runs: runsOf(inHex, 2 * RUN, 2), alike: inHexDigits, isWord: false },
    { runs: runsOf(inBase64, RUN_BASE64), alike: inBase64Digits, isWord: false },
  ].filter(({ runs }) => runs.length > 0);
}

const SLOTS = 2 ** 16;

/** Runs of one length. Where there are many, they are found without a copy of each part of a text. */
class Runs {
  readonly length: number;
  readonly #runs = new Set<string>();
  /** Which beginnings there are, by a hash. */
  readonly #begin = new Uint8Array(SLOTS);

  constructor(texts: readonly string[], length: number, step = 1) {
    this.length = length;
    for (const text of texts) {
      for (let at = 0; at + length <= text.length; at += step) {
        this.#runs.add(text.slice(at, at + length));
        this.#begin[slotOf(text, at)] = 1;
      }
    }
  }

  /** Where they begin. */
  placesIn(text: string): number[] {
    const places: number[] = [];
    const [only = ""] = this.#runs;
    if (this.#runs.size === 1) {
      for (let at = text.indexOf(only); at !== -1; at = text.indexOf(only, at + 1)) places.push(at);
      return places;
    }
    for (let at = 0; at + this.length <= text.length; at += 1) {
      if (this.#begin[slotOf(text, at)] === 1 && this.#runs.has(text.slice(at, at + this.length)))
        places.push(at);
    }
    return places;
  }
}

/** Of up to three characters. */
function slotOf(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return ((first << 10) ^ (second << 5) ^ third) & (SLOTS - 1);
}

/** Its base64 behind so many other bytes, without the characters that hold a part of these or of what follows. */
function base64At(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const [first, end] = [Math.ceil((8 * offset) / 6), Math.floor((8 * bytes.length) / 6)];
  return bytes.toString("base64").slice(first, end);
}

/** In an address, a plus sign is a space. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll("+", " ");
}

function inPlain(characters: string): Alike {
  const text = plain(characters);
  // A few letters are two in the other case.
  return text.length === characters.length ? { text } : kept(characters, (one) => plain(one).slice(0, 1));
}

function inHexDigits(characters: string): Alike {
  const text = characters.replace(/[A-F]/g, (letter) => letter.toLowerCase());
  return /[\s:]/.test(text) ? kept(text, (one) => (/[\s:]/.test(one) ? "" : one)) : { text };
}

function inBase64Digits(characters: string): Alike {
  const text = characters.replaceAll("-", "+").replaceAll("_", "/");
  return /\s/.test(text) ? kept(text, (one) => one.trim()) : { text };
}

/** What `make` gives for each character, without those for which it gives nothing. */
function kept(characters: string, make: (character: string) => string): Alike {
  const places: number[] = [];
  let text = "";
  for (let at = 0; at < characters.length; at += 1) {
    const made = make(characters[at] as string);
    if (made === "") continue;
    text += made;
    places.push(at);
  }
  return { text, places };
}

function found({ characters, spans }: Read, { runs, alike, isWord }: Scan): Span[] {
  const { text, places } = alike(characters);
  const spanOf = (at: number): Span => {
    const place = places?.[at] ?? at;
    return spans?.[place] ?? [place, place + 1];
  };
  return runs.flatMap((one) =>
    one
      .placesIn(text)
      .filter((at) => !isWord || !(isInWord(text[at - 1]) || isInWord(text[at + one.length])))
      .map((at): Span => [spanOf(at)[0], spanOf(at + one.length - 1)[1]]),
  );
}

function isInWord(character = ""): boolean {
  return /\w/.test(character);
}

const ESCAPE =
  /%([0-9a-f]{2})|[\\%]u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|&#x0*([0-9a-f]{1,6});?|&#0*(\d{1,7});?|&([a-z]{2,6});|\\(.)/gi;

/** Of the characters that a key can have. */
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: "&", apos: "'", ast: "*", bsol: "\\", colon: ":", comma: ",", commat: "@", dollar: "$" },
  ...{ equals: "=", excl: "!", grave: "`", gt: ">", hat: "^", lcub: "{", lowbar: "_", lpar: "(" },
  ...{ lsqb: "[", lt: "<", num: "#", percnt: "%", period: ".", plus: "+", quest: "?", quot: '"' },
  ...{ rcub: "}", rpar: ")", rsqb: "]", semi: ";", sol: "/", verbar: "|" },
};

/** The same with one level of escapes read. Undefined where there are none. */
function unescaped({ characters, spans }: Read): Read | undefined {
  if (!/[%&\\]/.test(characters)) return undefined;
  const spanOf = (at: number): Span => spans?.[at] ?? [at, at + 1];
  let text = "";
  const read: Span[] = [];
  let from = 0;
  const take = (to: number) => {
    for (let at = from; at < to; at += 1) read.push(spanOf(at));
    text += characters.slice(from, to);
  };
  for (const match of characters.matchAll(ESCAPE)) {
    const [whole, address, unicode, braced, byte, hex, decimal, name, other] = match;
    const code = address ?? unicode ?? braced ?? byte ?? hex;
    const point = code === undefined ? Number(decimal) : Number.parseInt(code, 16);
    const character = other ?? (name === undefined ? fromPoint(point) : ENTITIES[name.toLowerCase()]);
    if (character === undefined) continue;
    take(match.index);
    from = match.index + whole.length;
    text += character;
    const span: Span = [spanOf(match.index)[0], spanOf(from - 1)[1]];
    for (let at = 0; at < character.length; at += 1) read.push(span);
  }
  if (from === 0) return undefined;
  take(characters.length);
  return { characters: text, spans: read };
}

function fromPoint(point: number): string | undefined {
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

function without(text: string, hidden: Span[]): string {
  let result = "";
  let from = 0;
  for (const [start, end] of hidden.sort((a, b) => a[0] - b[0])) {
    if (end <= from) continue;
    // Runs that meet are one.
    if (start > from || result === "") result += `${text.slice(from, Math.max(from, start))}${MASK}`;
    from = end;
  }
  return result + text.slice(from);
}
