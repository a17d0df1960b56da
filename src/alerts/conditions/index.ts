export {
  type CompiledConditions,
  type ConditionResult,
  compileConditions,
  type MatchExplanation,
} from "./compile.ts";
export { type FieldPath, parseFieldPath, readField } from "./field-path.ts";
export { explainMatch, matchEvent } from "./match-event.ts";
