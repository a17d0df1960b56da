/** A secret as others could write it. */
export type Form = { name: string; write: (secret: string) => string };

const base64 = (secret: string, offset: number) => {
  const bytes = Buffer.concat([Buffer.alloc(offset, "x"), Buffer.from(secret)]);
  return bytes.toString("base64").replace(/=+$/, "");
};
const base64url = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_");
const each = (secret: string, write: (code: number) => string) =>
  Array.from(secret, (character) => write(character.charCodeAt(0))).join("");
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");

export const FORMS: readonly Form[] = [
  { name: "as it is", write: (secret) => secret },
  ...[0, 1, 2].flatMap((offset) => [
    { name: `base64 behind ${offset} bytes`, write: (secret: string) => base64(secret, offset) },
    {
      name: `base64url behind ${offset} bytes`,
      write: (secret: string) => base64url(base64(secret, offset)),
    },
  ]),
  { name: "hex", write: (secret) => Buffer.from(secret).toString("hex") },
  { name: "hex in capitals", write: (secret) => Buffer.from(secret).toString("hex").toUpperCase() },
  { name: "HTML, decimal", write: (secret) => each(secret, (code) => `&#${code};`) },
  { name: "HTML, hex", write: (secret) => each(secret, (code) => `&#x${hex(code, 2)};`) },
  { name: "\\u", write: (secret) => each(secret, (code) => `\\u${hex(code, 4)}`) },
  { name: "\\x", write: (secret) => each(secret, (code) => `\\x${hex(code, 2)}`) },
  { name: "percent, all", write: (secret) => each(secret, (code) => `%${hex(code, 2)}`) },
  { name: "percent, as in an address", write: encodeURIComponent },
  { name: "JSON in JSON", write: (secret) => JSON.stringify(JSON.stringify(secret)) },
  { name: "the first half", write: (secret) => secret.slice(0, Math.ceil(secret.length / 2)) },
  { name: "the second half", write: (secret) => secret.slice(Math.floor(secret.length / 2)) },
];

/** So many characters in a row are a leak. */
const RUN = 12;
/** Of a long secret, so many of its parts are looked for. */
const MOST_PARTS = 8;
/** Of base64, the digits at the ends depend on what is beside. */
const EDGE = 2;

type Needle = { secret: string; form: string; text: string };

/** Finds parts of secrets in texts, in any of these forms, in either case. */
export class Search {
  readonly #needles: readonly Needle[];

  constructor(secrets: Readonly<Record<string, string>>) {
    this.#needles = Object.entries(secrets).flatMap(([secret, value]) =>
      partsOf(value).flatMap((part) =>
        FORMS.filter(({ name }) => !name.endsWith("half")).map(({ name: form, write }) => ({
          ...{ secret, form },
          text: trimmed(form, write(part)).toLowerCase(),
        })),
      ),
    );
  }

  get size(): number {
    return this.#needles.length;
  }

  /** Each secret that is in the text, with its form and what is beside it. */
  hitsIn(text: string): string[] {
    const lower = text.toLowerCase();
    const hits = new Map<string, string>();
    for (const { secret, form, text: needle } of this.#needles) {
      const at = lower.indexOf(needle);
      const name = `${secret}, ${form}`;
      if (at >= 0 && !hits.has(name)) hits.set(name, text.slice(Math.max(0, at - 200), at + 60));
    }
    return [...hits].map(([name, beside]) => `${name}: …${beside}…`);
  }
}

/** Parts that overlap. Of a PEM, only those of its body: all keys begin alike. */
function partsOf(secret: string): string[] {
  const isPem = secret.includes("-----");
  const body = secret.replace(/-----[^-]+-----/g, "").replace(/\s/g, "");
  const text = isPem ? body.slice(64) : secret;
  const last = Math.max(0, text.length - RUN);
  const step = Math.max(RUN / 2, Math.ceil(last / MOST_PARTS));
  const places = Array.from({ length: Math.ceil(last / step) }, (_, index) => index * step);
  return [...places, last].map((at) => text.slice(at, at + RUN));
}

function trimmed(form: string, text: string): string {
  if (!form.startsWith("base64")) return form === "JSON in JSON" ? text.slice(3, -3) : text;
  return form.endsWith(" 0 bytes") ? text.slice(0, -EDGE) : text.slice(EDGE, -EDGE);
}
