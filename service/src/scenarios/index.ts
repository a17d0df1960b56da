import { generate, type Origin, type Wanted } from "./generate.ts";
import { burst } from "./stories/burst.ts";
import { drain } from "./stories/drain.ts";
import { mint } from "./stories/mint.ts";
import { role } from "./stories/role.ts";
import { silence } from "./stories/silence.ts";
import { stalePrice } from "./stories/stale-price.ts";
import type { Pause, Story } from "./story.ts";
import { fileText } from "./write.ts";

export type { Origin } from "./generate.ts";

export const SCENARIO_NAMES = ["drain", "mint", "role", "stale-price", "burst", "silence"] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** What happens in each scenario, and what of it should be noticed. */
export const SCENARIOS: Readonly<Record<ScenarioName, Story>> = {
  drain,
  mint,
  role,
  "stale-price": stalePrice,
  burst,
  silence,
};

/**
 * The text of a file: signed past events of a scenario, with the labels of those that should be noticed. It comes in
 * pieces, each made when it is taken.
 */
export async function* scenarioText(
  wanted: Wanted & { name: ScenarioName },
  origin: Origin,
  pause: Pause,
): AsyncGenerator<string, void> {
  yield* fileText(await generate(SCENARIOS[wanted.name], wanted, origin, pause));
}
