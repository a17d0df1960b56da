import { assumptions } from "./assumptions.ts";
import { tolerated } from "./tolerated.ts";

// Each is a row of docs/architecture.md; test/docs/pages.test.ts compares them.
describe("What the reader does not assume of the service", () => {
  for (const [habit, test] of Object.entries(tolerated)) it(habit, test);
});

describe("What the reader assumes of the service", () => {
  for (const [assumption, test] of Object.entries(assumptions)) it(assumption, test);
});
