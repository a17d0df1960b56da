import { type Extension, type ExtensionEvent, eventLines } from "./types.ts";

const COORDINATOR = "CCIPDVPCoordinator";
const IDS = "uint256 indexed settlementId, bytes32 indexed settlementHash";

const EVENTS: readonly ExtensionEvent[] = [
  { name: "SettlementOpened", meaning: "A party proposed a settlement." },
  { name: "SettlementAccepted", meaning: "The other party accepted it." },
  { name: "SettlementClosing", meaning: "Delivery and payment have begun, and are not complete." },
  { name: "SettlementSettled", meaning: "Both the asset and the payment were delivered." },
  { name: "SettlementCanceling", meaning: "The cancellation has begun, and is not complete." },
  { name: "SettlementCanceled", meaning: "The settlement was canceled: nothing was exchanged." },
].map((event) => ({ ...event, inputs: IDS, emitters: [COORDINATOR] }));

/** Events that the coordinator emits, and its watchers do not report. */
const OTHER_EVENTS = `event CCIPFeeDeficit(uint256 indexed settlementId, uint256 currentBalance, uint256 calculatedFees)
event DVPCoordinatorRegistered(uint64 indexed chainSelector, address indexed coordinator)
event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)
event SettlementMessageProcessingError(bytes32 indexed messageId, bytes errorData)`;

const STRUCTS = `struct PartyInfo { address buyerSourceAddress; address buyerDestinationAddress; address sellerSourceAddress; address sellerDestinationAddress; address executorAddress; }
struct TokenInfo { address paymentTokenSourceAddress; address paymentTokenDestinationAddress; address assetTokenSourceAddress; address assetTokenDestinationAddress; uint256 paymentTokenAmount; uint256 assetTokenAmount; uint8 paymentCurrency; uint8 paymentLockType; uint8 assetLockType; }
struct DeliveryInfo { uint64 paymentSourceChainSelector; uint64 paymentDestinationChainSelector; uint64 assetSourceChainSelector; uint64 assetDestinationChainSelector; }
struct Settlement { uint256 settlementId; PartyInfo partyInfo; TokenInfo tokenInfo; DeliveryInfo deliveryInfo; bytes32 secretHash; uint48 executeAfter; uint48 expiration; uint32 ccipCallbackGasLimit; bytes data; }`;

const FUNCTIONS = `function proposeSettlement(Settlement settlement)
function acceptSettlement(bytes32 settlementHash)
function executeSettlement(bytes32 settlementHash)
function executeSettlementWithTokenData(bytes32 settlementHash, bytes tokenData)
function cancel(bytes32 settlementHash)
function getSettlement(bytes32 settlementHash) view returns (Settlement)
function getSettlementBalance(bytes32 settlementHash, address token) view returns (uint256)
function getSettlementHash(Settlement settlement) pure returns (bytes32)
function getSettlementStatus(bytes32 settlementHash) view returns (uint8)
function isExpired(bytes32 settlementHash) view returns (bool)
function verifySecretHashPreimage(bytes32 settlementHash, bytes secret) view returns (bool)
function owner() view returns (address)
function setDVPCoordinator(uint64 chainSelector, address coordinator)
function recoverFunds(address token, uint256 amount, address receiver)
function transferOwnership(address newOwner)
error CannotCancel()
error CannotSettle()
error Expired()
error HoldInvalid()
error HoldManagerNotFound()
error InvalidSender()
error InvalidSettlement()
error NotFound()
error TooEarly()
error Unauthorized()
error OwnableUnauthorizedAccount(address account)
error SafeERC20FailedOperation(address token)`;

/** What `getSettlementStatus` returns. */
export const SETTLEMENT_STATUSES = ["New", "Open", "Accepted", "Closing", "Settled", "Canceled"] as const;

/** Delivery versus payment: an asset and its payment change hands together or not at all. */
export const DVP: Extension = {
  service: "dvp",
  title: "delivery versus payment (DvP)",
  contracts: {
    [COORDINATOR]: [STRUCTS, eventLines(EVENTS, COORDINATOR), OTHER_EVENTS, FUNCTIONS].join("\n"),
  },
  events: EVENTS,
  words: {},
};
