export {
  type CompiledConditions,
  type ConditionResult,
  compileConditions,
  explainMatch,
  type MatchExplanation,
  matchEvent,
} from "./compile.ts";
export { type FieldPath, parseFieldPath, readField } from "./field-kind.ts";
