export type {
  Abi,
  AbiError,
  AbiEvent,
  AbiFunction,
  AbiItem,
  AbiParameter,
  NamedAbi,
  ReadAbi,
  UnusableItem,
} from "./abi-type.ts";
export { canonicalSignature, selectorOf, signatureHash, signatureOf } from "./abi-type.ts";
export { checksumAddress } from "./address.ts";
export {
  callData,
  decodeFunctionCall,
  decodeFunctionResult,
  encodeFunctionCall,
  type FunctionCall,
} from "./call.ts";
export { eventLog, isWholeLog, logParams } from "./event-log.ts";
export { type EventValues, eventValues, fittingEvents, readTuple } from "./event-params.ts";
export {
  completeFragment,
  eventFragments,
  eventsWithTuples,
  type ListedEvent,
  type ListedFunction,
  listEvents,
  listFunctions,
} from "./list.ts";
export { listAbis, parseAbi, readAbi } from "./parse.ts";
export { decodeValues } from "./raw.ts";
export { decodeRevert } from "./revert.ts";
export { textToBytes } from "./text-to-bytes.ts";
export {
  amountsInTokens,
  formatTokenAmounts,
  parseTokenAmounts,
  untypedAmountsInTokens,
} from "./token-amounts.ts";
export { fromSmallestUnit, toSmallestUnit } from "./units.ts";
export { encodeValue, toAbiValue } from "./values.ts";
