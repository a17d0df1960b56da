import type { AbiInput } from "./resources.ts";

type Named = Pick<AbiInput, "name">;

/**
 * The names of values by parameter: its own, or its position where it has none or shares it with another one.
 *
 * @param positionOf how positions are written: `0` in calls and results, `arg0` in events
 */
export function valueNames(
  parameters: readonly Named[],
  positionOf: (index: number) => string = String,
): string[] {
  const repeated = repeatedNames(parameters);
  return parameters.map(({ name }, index) => (name === "" || repeated.has(name) ? positionOf(index) : name));
}

/** The names that several of the parameters have. */
export function repeatedNames(parameters: readonly Named[]): Set<string> {
  const seen = new Set<string>();
  return new Set(
    parameters.flatMap(({ name }) => {
      const isRepeated = name !== "" && seen.has(name);
      seen.add(name);
      return isRepeated ? [name] : [];
    }),
  );
}

/** A position as events write it. */
export function argName(index: number): string {
  return `arg${index}`;
}

/** An event with all that decides how its logs are read: `Level(int256 indexed x)`. */
export function eventText(event: { name: string; anonymous?: boolean; inputs: readonly AbiInput[] }): string {
  return `${event.name}${listOf(event.inputs)}${event.anonymous ? " anonymous" : ""}`;
}

function listOf(inputs: readonly AbiInput[]): string {
  const written = inputs.map(({ name, type, indexed, components }) => {
    const its = type.startsWith("tuple") ? `${listOf(components ?? [])}${type.slice("tuple".length)}` : type;
    return `${its}${indexed ? " indexed" : ""}${name === "" ? "" : ` ${name}`}`;
  });
  return `(${written.join(", ")})`;
}
