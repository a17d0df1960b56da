export {
  type CompiledConditions,
  type ConditionResult,
  compileConditions,
  type MatchExplanation,
} from "./compile.ts";
export { explainMatch, matchEvent } from "./match-event.ts";
