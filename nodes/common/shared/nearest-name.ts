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
