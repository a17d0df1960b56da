import { type Extension, type ExtensionEvent, eventLines } from "./types.ts";

/** Structs, functions and errors of the contracts of DTA v2, as a human-readable ABI. */

/** What `getDistributorRequest` returns, and the watcher adds to events of a request. */
const DISTRIBUTOR_REQUEST =
  "struct DistributorRequest { uint256 shares; uint256 amount; bytes32 fundTokenId; bytes32 referenceID; address fundAdminAddr; address distributorAddr; uint40 createdAt; uint8 requestType; uint8 status; }";

/** What `getFundToken` returns, and the watcher adds to events of a fund. */
const FUND_TOKEN_DATA = `struct DTAPayment { uint8 offChainPaymentCurrency; address paymentTokenSourceAddr; address paymentTokenDestAddr; }
struct FundTokenData { address fundTokenAddr; uint8 navFeedDecimals; uint8 purchaseTokenRoundingDecimals; uint8 purchaseTokenDecimals; uint8 fundRoundingDecimals; uint8 fundTokenDecimals; uint8 requestsPerDay; address navAddr; uint64 tokenChainSelector; address dtaRequestSettlementAddr; int24 timezoneOffsetSecs; uint24 navTTL; DTAPayment paymentInfo; }`;

const OWNER_FUNCTIONS = `function owner() view returns (address)
function transferOwnership(address newOwner)
function recoverFunds(address recipient)
function withdrawTokens(address token, address recipient, uint256 amount)
function getCCIPGasLimit() view returns (uint256)
function setCCIPGasLimit(uint256 gasLimit)
error OwnableUnauthorizedAccount(address account)
error InvalidWithdrawInput()
error FailedToRecoverFunds()
error OnlySelf()
error SafeERC20FailedOperation(address token)
error DoesNotExist(bytes32 id)
error Exists(bytes32 id)
error InvalidRequest(bytes32 requestId)
error InvalidPaymentInfo()`;

const MANAGEMENT_FUNCTIONS = `function requestSubscription(address fundAdminAddr, bytes32 fundTokenId, uint256 amount, bytes32 referenceID) returns (bytes32 requestId)
function requestRedemption(address fundAdminAddr, bytes32 fundTokenId, uint256 shares, bytes32 referenceID) returns (bytes32 requestId)
function cancelDistributorRequest(bytes32 requestId)
function processDistributorRequest(bytes32 requestId)
function getDistributorRequest(bytes32 requestId) view returns (DistributorRequest)
function getFundToken(address fundAdminAddr, bytes32 fundTokenId) view returns (bool enabled, FundTokenData)
function getFundTokens(address fundAdminAddr, uint256 offset) view returns (bytes32[])
function getFundAdmins(uint256 offset) view returns (address[] fundAdminAddrs)
function getDistributors(uint256 offset) view returns (address[] distributorAddrs)
function getTokenRequestsByDate(address fundAdminAddr, bytes32 fundTokenId, uint40 date, uint256 offset) view returns (bytes32[])
function isFundAdminRegistered(address fundAdminAddr) view returns (bool)
function isDistributorAllowedForToken(address fundAdminAddr, bytes32 fundTokenId, address distributorAddr) view returns (bool isAllowed, bool isTokenEnabled)
function isTokenAuthorizedByWalletForDistributor(address distributorWalletAddr, address distributorAddr, address fundAdminAddr, bytes32 fundTokenId) view returns (bool isAuthorized)
function registerFundAdmin()
function registerFundToken(bytes32 fundTokenId, FundTokenData tokenData)
function enableFundToken(bytes32 fundTokenId)
function disableFundToken(bytes32 fundTokenId)
function registerDistributor(address distributorWalletAddr)
function allowDistributorForToken(bytes32 fundTokenId, address distributorAddr)
function disallowDistributorForToken(bytes32 fundTokenId, address distributorAddr)
function authorizeDistributorForToken(address fundAdminAddr, bytes32 fundTokenId, address distributorAddr)
function revokeDistributorForToken(address fundAdminAddr, bytes32 fundTokenId, address distributorAddr)
${OWNER_FUNCTIONS}
error CancelNotAllowed(bytes32 requestId, uint8 requestStatus)
error DistributorNotAllowed(address fundAdminAddr, bytes32 fundTokenId, address distributorAddr)
error DistributorNotAuthorizedForToken(address distributorAddr, address fundAdminAddr, bytes32 fundTokenId)
error ErrEscrowPaymentToken()
error InvalidDistributorWallet(address distributorAddr, address distributorWalletAddr)
error InvalidFundTokenData()
error InvalidNAV(address fundAdminAddr, bytes32 fundTokenId, int256 nav)
error InvalidTokenDecimals()
error RateLimitExceeded(address fundAdminAddr, bytes32 fundTokenId, address distributorAddr, uint8 requestType)
error RequestNotInStatus(bytes32 requestId, uint8 expectedStatus, uint8 actualStatus)
error StaleNAV(bytes32 requestId, uint40 requestCreatedAt, uint40 navUpdatedAt, int24 fundIssuerTimeZoneOffsetSecs)
error UnauthorizedNotDistributor()
error UnauthorizedSender()
error UnexpectedTokenStatus(address fundAdminAddr, bytes32 fundTokenId, bool actualStatus)`;

const SETTLEMENT_FUNCTIONS = `struct DTAData { address dtaAddr; uint64 dtaChainSelector; address fundAdminAddr; bytes32 fundTokenId; address fundTokenAddr; uint8 mintType; uint8 burnType; bool enabled; }
function completeRequestProcessing(bytes32 requestId, bool success, bytes err, bool revertOnErr)
function allowDTA(address dtaAddr, uint64 dtaChainSelector, address fundAdminAddr, bytes32 fundTokenId, address fundTokenAddr, uint8 mintType, uint8 burnType)
function disallowDTA(address dtaAddr, uint64 dtaChainSelector, address fundAdminAddr, bytes32 fundTokenId)
function isAllowedDTA(address dtaAddr, uint64 dtaChainSelector, address fundAdminAddr, bytes32 fundTokenId) view returns (bool)
function getAllowedDTAs(uint256 offset) view returns (bytes32[] dtaKeys)
function getDTAData(bytes32 dtaKey) view returns (DTAData dtaData)
${OWNER_FUNCTIONS}
error InvalidDTAKey(bytes32 dtaKey)
error InvalidRequestType(bytes32 requestId, uint8 requestType)
error LowBalanceForCrossChainRedemption(bytes32 requestId, address contractAddr, address paymentTokenAddr, uint256 amount)`;

const MANAGEMENT = "DTARequestManagement";
const SETTLEMENT = "DTARequestSettlement";
const NAV_FEED = "NAV feed";

const FUND = "address indexed fundAdminAddr, bytes32 indexed fundTokenId";
const FUND_AND_DISTRIBUTOR = `${FUND}, address indexed distributorAddr`;
const DTA = "uint64 dtaChainSelector, address dtaAddr";

type Row = [name: string, inputs: string, meaning: string];

const MANAGEMENT_EVENTS: readonly Row[] = [
  [
    "SubscriptionRequested",
    `${FUND_AND_DISTRIBUTOR}, bytes32 referenceID, bytes32 requestId, uint256 amount, uint40 createdAt`,
    "A distributor asked to buy shares of a fund for an amount.",
  ],
  [
    "RedemptionRequested",
    `${FUND_AND_DISTRIBUTOR}, bytes32 referenceID, bytes32 requestId, uint256 shares, uint40 createdAt`,
    "A distributor asked to give shares of a fund back.",
  ],
  [
    "DistributorRequestProcessing",
    `${FUND_AND_DISTRIBUTOR}, bytes32 requestId, uint256 shares, uint256 amount`,
    "A request is being settled: its shares and its amount are fixed.",
  ],
  [
    "DistributorRequestProcessed",
    "bytes32 requestId, uint256 shares, uint8 status, bytes error",
    "A request has ended: status says whether it was settled or failed.",
  ],
  [
    "DistributorRequestCanceled",
    `${FUND_AND_DISTRIBUTOR}, bytes32 requestId`,
    "A request was canceled before it was processed.",
  ],
  ["DistributorRegistered", "address distributorAddr", "A distributor was registered."],
  [
    "DistributorAuthorizationUpdated",
    "address indexed distributorAddr, address indexed fundAdminAddr, bytes32 indexed fundTokenId, bool authorized",
    "A distributor's wallet authorized it for a fund, or no longer does.",
  ],
  ["FundAdminRegistered", "address fundAdminAddr", "A fund administrator was registered."],
  [
    "FundTokenAllowlistUpdated",
    `${FUND_AND_DISTRIBUTOR}, bool allowed`,
    "A fund administrator allowed a distributor for a fund, or no longer does.",
  ],
  [
    "FundTokenRegistered",
    `${FUND}, address indexed fundTokenAddr, address navAddr, uint64 tokenChainSelector`,
    "A fund was registered, with its token and its NAV feed.",
  ],
  [
    "InvalidDTARequestSettlement",
    `${FUND}, bytes32 requestId, uint64 actualChainSelector, address actualDTARequestSettlementAddr`,
    "The answer to a request came from a settlement contract that is not the fund's.",
  ],
  [
    "MessageFailed",
    "bytes32 indexed messageId, bytes reason",
    "A message from another network could not be handled.",
  ],
];

const SETTLEMENT_EVENTS: readonly Row[] = [
  [
    "DTASettlementOpened",
    `${FUND}, uint8 indexed requestType, address distributorAddr, ${DTA}, bytes32 requestId, address distributorWalletAddr, uint256 shares, uint256 amount, uint8 currency`,
    "The settlement of a request began: the payment is to be made outside the chain.",
  ],
  [
    "DTASettlementClosed",
    `${FUND}, uint8 indexed requestType, address distributorAddr, ${DTA}, bytes32 requestId, bool success, bytes err`,
    "The settlement of a request ended: success says how.",
  ],
  [
    "SettlementFailed",
    `${FUND_AND_DISTRIBUTOR}, ${DTA}, address paymentTokenAddr, address distributorWalletAddr, bytes32 requestId, uint256 shares, uint256 amount, bytes errData`,
    "A settlement could not be executed.",
  ],
  [
    "RequestAlreadyProcessed",
    "bytes32 indexed requestId, address indexed dtaAddr, uint64 dtaChainSelector, address fundAdminAddr, bytes32 fundTokenId",
    "A request arrived that was settled before, and was not settled again.",
  ],
  [
    "DTAAdded",
    "address indexed dtaAddr, uint64 indexed dtaChainSelector, address fundAdminAddr, bytes32 indexed fundTokenId, address fundTokenAddr",
    "A request management contract was allowed to settle a fund here.",
  ],
  [
    "DTARemoved",
    "address indexed dtaAddr, uint64 indexed dtaChainSelector, address fundAdminAddr, bytes32 indexed fundTokenId",
    "A request management contract may no longer settle a fund here.",
  ],
  [
    "UnauthorizedSenderDTA",
    "address dtaAddr, uint64 dtaChainSelector, address fundAdminAddr, bytes32 fundTokenId, address distributorAddr, bytes32 requestId, uint8 reqType",
    "A request came from a contract that may not settle here, and was refused.",
  ],
  [
    "EmptyRequestType",
    "bytes32 indexed messageId, uint64 sourceChainSelector, address dtaAddr, bytes32 indexed requestId",
    "A request was neither a subscription nor a redemption, and was refused.",
  ],
  [
    "InvalidSubscriptionCrossChainPayment",
    `${FUND}, bytes32 requestId, ${DTA}, address paymentTokenDestAddr, uint256 ccipDestTokenAmountsLength, address ccipPaymentTokenAddr`,
    "The payment that came with a subscription from another network was not the expected one.",
  ],
  [
    "CCIPMessageDecodeFailed",
    "bytes32 indexed messageId, uint64 sourceChainSelector, bytes reason",
    "A message from another network could not be read.",
  ],
  [
    "CCIPMessageHandleFailed",
    "bytes32 indexed messageId, uint64 sourceChainSelector, address dtaAddr, bytes reason",
    "A message from another network was read, and could not be handled.",
  ],
];

/** Both contracts emit these. */
const SHARED_EVENTS: readonly Row[] = [
  ["Initialized", "uint64 version", "The contract was set up, or upgraded to a version."],
  ["NativeFundsRecovered", "address to, uint256 amount", "Coins were taken out of the contract."],
  [
    "OwnershipTransferred",
    "address indexed previousOwner, address indexed newOwner",
    "The contract has a new owner.",
  ],
  [
    "TokenWithdrawn",
    "address indexed token, address indexed recipient, uint256 amount",
    "Tokens were taken out of the contract.",
  ],
];

const NAV_EVENTS: readonly Row[] = [
  [
    "AnswerUpdated",
    "int256 indexed current, uint256 indexed roundId, uint256 updatedAt",
    "The feed has a new net asset value (NAV) of the fund.",
  ],
];

const EVENTS: readonly ExtensionEvent[] = [
  ...of([MANAGEMENT], MANAGEMENT_EVENTS),
  ...of([SETTLEMENT], SETTLEMENT_EVENTS),
  ...of([MANAGEMENT, SETTLEMENT], SHARED_EVENTS),
  ...of([NAV_FEED], NAV_EVENTS),
];

function of(emitters: readonly string[], rows: readonly Row[]): ExtensionEvent[] {
  return rows.map(([name, inputs, meaning]) => ({ name, inputs, meaning, emitters }));
}

/** `status` of a distributor's request. */
export const REQUEST_STATUSES = ["None", "Pending", "Processing", "Processed", "Canceled", "Failed"] as const;
/** `requestType` of a distributor's request. */
export const REQUEST_TYPES = ["None", "Subscription", "Redemption"] as const;

/** Version 2 of the Digital Transfer Agent: shares of tokenized funds, bought and given back through distributors. */
export const DTA_V2: Extension = {
  service: "dta.v2",
  title: "digital transfer agent (DTA) v2",
  contracts: {
    [MANAGEMENT]: [
      FUND_TOKEN_DATA,
      DISTRIBUTOR_REQUEST,
      eventLines(EVENTS, MANAGEMENT),
      MANAGEMENT_FUNCTIONS,
    ].join("\n"),
    [SETTLEMENT]: [eventLines(EVENTS, SETTLEMENT), SETTLEMENT_FUNCTIONS].join("\n"),
    [NAV_FEED]: eventLines(EVENTS, NAV_FEED),
  },
  events: EVENTS,
  words: { status: REQUEST_STATUSES, requestType: REQUEST_TYPES, reqType: REQUEST_TYPES },
};
