/** Structs, functions and errors of the contracts of DTA v2, as a human-readable ABI. */

/** What `getDistributorRequest` returns, and the watcher adds to events of a request. */
export const DISTRIBUTOR_REQUEST =
  "struct DistributorRequest { uint256 shares; uint256 amount; bytes32 fundTokenId; bytes32 referenceID; address fundAdminAddr; address distributorAddr; uint40 createdAt; uint8 requestType; uint8 status; }";

/** What `getFundToken` returns, and the watcher adds to events of a fund. */
export const FUND_TOKEN_DATA = `struct DTAPayment { uint8 offChainPaymentCurrency; address paymentTokenSourceAddr; address paymentTokenDestAddr; }
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

export const MANAGEMENT_FUNCTIONS = `function requestSubscription(address fundAdminAddr, bytes32 fundTokenId, uint256 amount, bytes32 referenceID) returns (bytes32 requestId)
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

export const SETTLEMENT_FUNCTIONS = `struct DTAData { address dtaAddr; uint64 dtaChainSelector; address fundAdminAddr; bytes32 fundTokenId; address fundTokenAddr; uint8 mintType; uint8 burnType; bool enabled; }
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
