export { canonicalSignature, selectorOf, signatureHash, signatureOf } from "./abi-type.ts";
export { checksumAddress } from "./address.ts";
export {
  decodeFunctionCall,
  decodeFunctionResult,
  encodeFunctionCall,
  type FunctionCall,
} from "./call.ts";
export { callData } from "./call-data.ts";
export { eventLog } from "./event-log.ts";
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
export { isWholeLog, logParams } from "./log-params.ts";
export { listAbis, parseAbi, readAbi } from "./parse.ts";
export { decodeValues } from "./plain.ts";
export { decodeRevert } from "./revert.ts";
export { textToBytes } from "./text-to-bytes.ts";
export { amountsInTokens, untypedAmountsInTokens } from "./token-amounts.ts";
export { formatTokenAmounts, parseTokenAmounts } from "./token-units.ts";
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
} from "./types.ts";
export { fromSmallestUnit, toSmallestUnit } from "./units.ts";
export { encodeValue, toAbiValue } from "./values.ts";
