/** A word this long at the end, such as an address, is cut itself: nothing would be left before it. */
const LONGEST_WORD = 24;

/** The text, or its start with an ellipsis, cut between two words. */
export function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  const end = start.lastIndexOf(" ");
  const kept = end >= length - LONGEST_WORD ? start.slice(0, end) : start.slice(0, length - 1);
  return `${kept.replace(/[\s.,:;·(–-]+$/, "")}…`;
}

/**
 * The names or signatures of events in a text that lists them: `Paid(address,uint256), Closed` are two. A comma
 * counts where as many brackets are closed as opened.
 */
export function splitNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let name = "";
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth <= 0) {
      names.push(name);
      name = "";
    } else {
      name += character;
    }
  }
  return [...names, name].map((one) => one.trim()).filter((one) => one !== "");
}

/**
 * The name of an event or a function, from its name or signature, also one copied from an ABI:
 * `event Transfer(address indexed from)` is `Transfer`.
 */
export function bareName(signature: string): string {
  return signature
    .trim()
    .replace(/^event\s+/, "")
    .replace(/\s*\(.*$/s, "");
}

/** How many letters of a name may be wrong. Of a short one only one: two would make it any short word. */
const MOST_WRONG = 2;
const SHORT = 4;

/**
 * The known name that a mistyped one is most likely, the first of several: letters that are wrong, missing, too many, or
 * swapped with the next. Letter case, spaces and underscores do not matter.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const typed = plain(given);
  const distances = known.map((name) => {
    const most = name.length > SHORT ? MOST_WRONG : 1;
    // A message may hold a name of any length.
    const distance =
      Math.abs(plain(name).length - typed.length) > most
        ? Number.POSITIVE_INFINITY
        : wrongLetters(typed, plain(name));
    return { name, distance, isNear: distance <= most };
  });
  return distances.filter(({ isNear }) => isNear).sort((one, other) => one.distance - other.distance)[0]
    ?.name;
}

/** The least number of letters to change, add, remove or swap with the next. */
function wrongLetters(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row += 1) {
    const distances = [row];
    rows.push(distances);
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      distances.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_]/g, "");
}

/** One spelling for each address, so that two can be compared. Other text is not changed. */
export function canonicalUrl(address: string): string {
  return URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : address;
}

const URL_OF_ENGINE = /^(?:postgres|postgresql|redis|rediss):\/\/\S+$/;

/** Whether a URL names an engine of shared state. The rest of it is for the engine's client to judge. */
export function isEngineUrl(text: string): boolean {
  return URL_OF_ENGINE.test(text);
}

/** Only Redis has sentinels. */
export function isRedisUrl(text: string): boolean {
  return /^rediss?:/.test(text);
}

/** Whether a URL says that there is no TLS. */
export function isWithoutTls(text: string): boolean {
  return /^redis:|[?&]sslmode=disable(?:&|$)/.test(text);
}

/** Whether the URL of a Redis asks for TLS, to its sentinels too. */
export function isWithTls(text: string): boolean {
  return text.startsWith("rediss:");
}

/**
 * The service as part of the identity of what is stored about it. One on this machine can come back on another port and
 * is still the same: ids of channels and operations show that.
 */
export function serviceIdentity(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)) url.port = "";
  return url.href.replace(/\/+$/, "");
}
