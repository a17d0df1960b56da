import { assumed } from "./assumed.ts";
import { notAssumed } from "./not-assumed.ts";

// Each is a row of docs/architecture.md; test/docs/habits.test.ts compares them.
describe("What the reader does not assume of the service", () => {
  for (const [habit, test] of Object.entries(notAssumed)) it(habit, test);
});

describe("What the reader assumes of the service", () => {
  for (const [assumption, test] of Object.entries(assumed)) it(assumption, test);
});
