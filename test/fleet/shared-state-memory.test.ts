import { MemorySharedState } from "../../src/index.ts";
import { modelTests } from "./shared-state-model.ts";
import { behaviour, type Open } from "./shared-state-suite.ts";

describe("shared state in memory", () => {
  const shared = new MemorySharedState();
  const open: Open = async () => shared;

  behaviour(open);
  modelTests(open);
});
