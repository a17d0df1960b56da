import {
  DISTRIBUTOR_REQUEST,
  FUND_TOKEN_DATA,
  MANAGEMENT_FUNCTIONS,
  SETTLEMENT_FUNCTIONS,
} from "./dta-functions.ts";
import { type Extension, type ExtensionEvent, eventLines } from "./types.ts";

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
