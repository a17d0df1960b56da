import fc from "fast-check";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** What a secret can look like: a key of a vendor, hex in both cases, base64, a token in three parts, a password. */
const secret = fc.oneof(
  text(LETTERS, 12, 64),
  text("0123456789abcdef", 32, 128),
  text("0123456789ABCDEF", 32, 128),
  text("0123456789", 6, 20),
  fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
  fc.tuple(text(LETTERS, 12, 20), text(LETTERS, 12, 20)).map((parts) => `eyJ${parts.join(".")}`),
  fc
    .tuple(fc.constantFrom("sk_live_", "AKIA", "ghp_", "xoxb-"), text(LETTERS, 16, 40))
    .map((parts) => parts.join("")),
  fc
    .tuple(text(LETTERS, 8, 12), text("!#%&+=?^~", 1, 3), text(LETTERS, 8, 12))
    .map((parts) => parts.join("")),
);

/** What a person is known by. */
const person = fc.oneof(
  fc.tuple(text(LETTERS, 8, 14), text(LETTERS, 8, 14)).map(([user, host]) => `${user}@${host}.example`),
  fc.constantFrom("Zoë Quimby-Ngô", "Přemysl Škvorecký", "山田太郎", "Oyelaran Adébáyò"),
);

export const canary = fc.oneof(secret, person);

/** As a text could carry it. */
export const wayIn: fc.Arbitrary<(value: string) => string> = fc.constantFrom(
  (value: string) => value,
  (value: string) => `refused with ${value}.`,
  (value: string) => `key=${value}&more=1`,
  (value: string) => `https://user:${value}@host.example/${value}?token=${value}`,
  (value: string) => `{"message":"${value}"}`,
  (value: string) => `the channel '${value}' (of ${value}) is missing`,
  (value: string) => `event:${value}/${value}`,
);

/** The same value as it is written elsewhere. */
export const spellings: ReadonlyArray<(value: string) => string> = [
  (value) => value,
  (value) => encodeURIComponent(value),
  (value) => Buffer.from(value).toString("base64"),
  (value) => Buffer.from(value).toString("base64url"),
  (value) => Buffer.from(value).toString("hex"),
  (value) => Buffer.from(value).toString("hex").toUpperCase(),
  (value) => `0x${value}`,
  (value) => JSON.stringify(value).slice(1, -1),
];

function text(letters: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...letters), { minLength, maxLength })
    .map((characters) => characters.join(""));
}
