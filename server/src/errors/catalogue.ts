import type { Kind } from './kinds.ts'

/** One line of the catalogue. */
interface Line {
  kind: Kind
  /** Default message. The code that throws the error may use a more exact message. */
  message: string
}

const line =
  (kind: Kind) =>
  (message: string): Line => ({ kind, message })

const malformed = line('malformed')
const incomplete = line('incomplete')
const unauthenticated = line('unauthenticated')
const forbidden = line('forbidden')
const notFound = line('notFound')
const invalid = line('invalid')
const wrongState = line('wrongState')
const tooLarge = line('tooLarge')
const locked = line('locked')
const full = line('full')
const overloaded = line('overloaded')
const rateLimited = line('rateLimited')
const destinationFailed = line('destinationFailed')
const internal = line('internal')
const unavailable = line('unavailable')
const noSpace = line('noSpace')

/**
 * Every error code of the published interface: the list is the specification's, and the documents and the page that the
 * `url` of an error points at are made from it. The function before a message names the kind (see `kinds.ts`), from
 * which HTTP status, WebSocket code and fault follow.
 */
export const publicErrors = {
  account_limit_exceeded: invalid('The account has reached its limit and must be upgraded.'),
  address_has_no_valid_channels: invalid('None of the channels of the address can be used.'),
  allowed_address_limit_exceeded: invalid('The list of allowed addresses is too long.'),
  already_assigned: invalid('The resource is assigned to something already.'),
  already_verified: invalid('The number has been verified already.'),
  associated_campaign_inactive: destinationFailed(
    'The message was not delivered: the carrier considers the campaign of the number inactive.',
  ),
  associated_campaign_suspended: destinationFailed(
    'The message was not delivered: the carrier has suspended the campaign of the number.',
  ),
  authblock_is_expired: invalid('The `expires_at` of the subscriber in the authblock lies in the past.'),
  authblock_is_invalid: invalid('The authblock is malformed or names a subscriber that does not exist.'),
  auto_top_up_deactivated: invalid('Automatic top-up of the balance is switched off.'),
  billing_route_not_found: invalid('There is no billing route to the destination.'),
  body_must_be_empty: invalid('A message is redacted by setting its body to an empty string.'),
  body_or_media_required: invalid('A message without media needs a body.'),
  brand_not_unique: invalid('The brand reference is in use already in this Space.'),
  call_id_is_duplicated: invalid('Another call has this call id already.'),
  call_update_failed: wrongState('The call could not be updated. Try again.'),
  campaign_inactive: invalid('Numbers can be assigned to active campaigns only.'),
  campaign_limit_exceeded: invalid('The limit of campaigns has been reached.'),
  campaign_not_active: invalid('The campaign is not active.'),
  campaign_not_found: notFound('There is no campaign with this id.'),
  campaign_throughput_exceeded: invalid(
    "More messages per second than the carrier allows the campaign's numbers.",
  ),
  cannot_cancel_in_progress: wrongState('A call that is in progress cannot be cancelled.'),
  cannot_process: malformed('The request cannot be processed as things stand.'),
  cannot_redact_in_progress_message: wrongState(
    'Only a message that was delivered, undelivered or failed can be redacted; this one is still under way.',
  ),
  cannot_redirect_not_in_progress: wrongState('Only a call in progress can be redirected.'),
  cannot_remove_assignment_from_integration_test: invalid(
    'Assignments of an integration test campaign stay.',
  ),
  cannot_update_completed: wrongState('A completed call cannot be updated.'),
  carrier_daily_limit_reached: destinationFailed(
    'The campaign has sent as many messages as the carrier takes in one day. Sending resumes tomorrow.',
  ),
  carrier_violation: destinationFailed('The carrier considers the message spam.'),
  channel_has_missing_properties: invalid('Each channel needs `read`, `write` or both.'),
  channel_name_is_reserved: invalid('The name of the channel starts with a reserved prefix.'),
  channel_name_size_limit_exceeded: invalid('The name of the channel is too long.'),
  channel_size_limit_exceeded: invalid('There are too many channels.'),
  character_limit_exceeded: malformed('The body is longer than is accepted.'),
  chat_token_invalid_for_session: invalid('The chat token was made for another room session.'),
  chat_token_is_invalid: invalid('This is not a chat token of ours.'),
  contains_external_entities: invalid('The XML defines external entities, which are forbidden.'),
  conversation_flow_steps_are_invalid: invalid(
    'The steps must be an array of strings, or of arrays of strings.',
  ),
  could_not_purchase: invalid('The purchase did not succeed.'),
  custom_variable_value_too_long: invalid('A value in `custom_variables` is longer than 1024 bytes.'),
  destination_number_not_supported: invalid('Numbers like the destination are not supported.'),
  document_version_mismatch: invalid(
    'The record has changed since: `document_version` is not the present one.',
  ),
  does_not_exist: notFound('There is nothing here. Check the path, the method and the name.'),
  domain_has_no_password: invalid('The domain has no password.'),
  duplicate_skill_type: invalid('An AI agent may have one skill of each type.'),
  exceeds_history_logs_limit: invalid('The date reaches further back than history is kept.'),
  exceeds_platform_stream_limit: wrongState('The room has as many streams as it may have.'),
  feature_not_available: forbidden('The account does not include this feature.'),
  file_already_exists: invalid('The project has a file of that name at that path already.'),
  file_can_not_be_opened: invalid('The file could not be opened.'),
  file_exceeds_size_limit: invalid('The file is too large.'),
  file_not_found: notFound('There is no such file, or its link has expired.'),
  from_fabric_address_id_does_not_match_subscriber: invalid(
    'The address in `from_fabric_address_id` is not one of the subscriber.',
  ),
  header_value_too_long: malformed('The header is longer than is accepted.'),
  inactive_campaign: invalid('The number in `from` must belong to an active campaign.'),
  incompatible_parameters: invalid('These parameters exclude each other.'),
  incorrect_keyword_format: invalid('Keywords are separated by commas, without spaces.'),
  incorrect_number_of_sub_use_cases_low_volume: invalid(
    'A mixed low-volume campaign has 2 to 5 sub use cases.',
  ),
  incorrect_number_of_sub_use_cases_mixed: invalid('A mixed campaign has 2 to 5 sub use cases.'),
  inline_swml_or_swml_webhook_required: invalid('Give a SWML document, or the URL of one.'),
  insufficient_balance: invalid('The balance is too low.'),
  insufficient_balance_to_receive_message: invalid('The balance is too low to receive the message.'),
  insufficient_balance_to_send_message: invalid(
    'The balance is too low to send the message. Add funds or switch automatic top-up on.',
  ),
  integration_test_verified_caller_required: invalid(
    'In a trial campaign, `to` must be the verified number of the account.',
  ),
  internal_error_occurred: internal('Something went wrong on our side. Try again a little later.'),
  invalid_addresses_for_transfer_skill: invalid(
    'Each address needs a `name` and a `destination` that are not empty.',
  ),
  invalid_auth_token_permissions: forbidden(
    'The token lacks a scope that this needs. Scopes: calling, chat, fax, management, messaging, numbers, pubsub, storage, tasking, video.',
  ),
  invalid_call_handler_for_external_swml_handler: invalid('The handler must be `calling` or `messaging`.'),
  invalid_call_handler_for_swml_application: invalid('The handler must be `external_url` or `script`.'),
  invalid_call_id_passed: invalid('The call id belongs to a cXML call, which this does not accept.'),
  invalid_campaign_id: invalid('This is not the id of a campaign.'),
  invalid_campaign_status: invalid('This is not a status that a campaign can have.'),
  invalid_codecs_format: invalid('Codecs are an array of strings, or one string with commas.'),
  invalid_command_attempted: invalid('There is no such command.'),
  invalid_content_type: malformed('The content type must be `application/json`.'),
  invalid_custom_variable_name: invalid(
    'A key of `custom_variables` starts with a letter or an underscore and has only letters, digits and underscores.',
  ),
  invalid_custom_variable_value: invalid('The values of `custom_variables` are strings that are not empty.'),
  invalid_destination_number: invalid('This is not a number that can be called.'),
  invalid_for_page_chunking: invalid('Chunking by page takes no further parameters.'),
  invalid_for_paragraph_chunking: invalid('Chunking by paragraph does not take this parameter.'),
  invalid_for_sentence_chunking: invalid(
    'Chunking by sentence takes `max_sentences_per_chunk` and `split_newlines` only.',
  ),
  invalid_for_sliding_chunking: invalid('Sliding chunks take `chunk_size` and `overlap_size` only.'),
  invalid_for_type: invalid('This value does not go with the present type.'),
  invalid_from_number: invalid(
    'The number in `from` must be one that the project has purchased; a verified caller id cannot send.',
  ),
  invalid_group_configuration: invalid(
    'A conversation group is one room, or two subscribers, and its id starts with `svc_`.',
  ),
  invalid_handler_use: invalid('The handler must be used for `calling` or `messaging`.'),
  invalid_header_name: invalid(
    'The name of a header is a token of RFC 7230: no spaces, no line breaks, not empty.',
  ),
  invalid_header_value: invalid('The value of a header is not empty and has no line breaks.'),
  invalid_helpdesk_capability: invalid('The helpdesk integration has no such capability.'),
  invalid_http_method: invalid('The method must be GET or POST.'),
  invalid_join_until_date: invalid('`join_until` must not be earlier than `join_from`.'),
  invalid_list_items: invalid('The list has items that are not accepted.'),
  invalid_media_type: invalid('This type of media is not accepted.'),
  invalid_media_url: invalid('The URL of the media is not valid.'),
  invalid_message_body: invalid('The body of the message is not valid.'),
  invalid_mustache_syntax: invalid('The template is not valid Mustache.'),
  invalid_number_format: invalid('Numbers are written in E.164: `+`, country code, number.'),
  invalid_object: invalid('The object is not valid.'),
  invalid_parameter: invalid('The value is not one that is accepted here.'),
  invalid_pstn_destination: invalid('The telephone destination is missing or not in E.164.'),
  invalid_relay_connector_parameters: invalid(
    'Send `relay_connector_id` to use a connector, or `relay_connector_name` and `relay_connector_token` to make one.',
  ),
  invalid_resource_for_handler: invalid('A resource of this type cannot be the handler.'),
  invalid_resource_type: invalid('There is no such type of resource.'),
  invalid_room_session: invalid('There is no room session with this id.'),
  invalid_sip_configuration: invalid('A value in the SIP configuration is not valid.'),
  invalid_sip_destination: invalid('The SIP destination is missing or not a SIP address.'),
  invalid_state: wrongState('The object is in a state that does not allow this.'),
  invalid_sub_use_cases: invalid('The sub use cases are not valid.'),
  invalid_subproject_id: invalid('The subproject does not exist or belongs to another project.'),
  invalid_to_number: invalid('The destination of the message is not valid.'),
  invalid_token_format: invalid('This does not look like a token.'),
  list_contains_invalid_entries: invalid('The list has an entry that is not accepted.'),
  malformed_xml: invalid('The XML is not well formed.'),
  max_queued_calls_exceeded: invalid('Too many calls are waiting in the queue.'),
  max_queued_messages_exceeded: invalid('Too many messages are waiting in the queue of the number.'),
  media_connection_timeout: destinationFailed('The server at the URL of the media did not answer in time.'),
  media_download_failed: destinationFailed('The media could not be downloaded.'),
  media_exceeds_size_limit: invalid('The media file is larger than is accepted.'),
  media_limit_exceeded: invalid('A message carries at most 8 media files.'),
  media_processing_failed: internal('The media could not be processed.'),
  media_request_failed: destinationFailed(
    'The server at the URL of the media answered with an error. It must speak HTTPS.',
  ),
  media_size_exceeds_limit: invalid('All media together are larger than is accepted.'),
  media_url_required: invalid('The URL of the media is missing.'),
  message_backlog_limit_exceeded: invalid(
    'Too many messages of the project are waiting. Let some be sent first.',
  ),
  message_blocked_by_carrier: destinationFailed(
    'The carrier blocked the message, perhaps because the recipient opted out.',
  ),
  message_blocked_by_number: destinationFailed('The recipient has blocked messages from this number.'),
  message_body_required: invalid('The body of the message is missing.'),
  message_filtered: invalid('Our own spam filter stopped the message.'),
  message_length_exceeds_limit: tooLarge('The message is too long.'),
  message_validity_period_expired_at_carrier: destinationFailed(
    'The message was too old before the carrier could deliver it.',
  ),
  messaging_provider_invalid: invalid('There is no such messaging provider.'),
  missing_messaging_capability: invalid('The number in `from` cannot send this kind of message.'),
  missing_required_parameter: incomplete('This value is required.'),
  missing_sip_configuration: invalid('Select at least one value of the SIP configuration.'),
  missing_sub_use_cases: invalid('Mixed campaigns need sub use cases.'),
  mms_expired_rejected_failed_or_unsupported: destinationFailed(
    'The MMS expired, was rejected, failed or is not supported.',
  ),
  must_be_array_of_objects: invalid('The value must be an array of objects with `name` and `value`.'),
  must_be_object: invalid('`custom_variables` must be an object whose values are strings.'),
  must_belong_to_project: invalid('The resource belongs to another project.'),
  no_channel_specified: invalid('Name at least one channel.'),
  no_devices_or_registrations: invalid('The address has no device and nothing is registered at it.'),
  no_fabric_addresses: invalid('The resource has no address.'),
  no_installed_applications: invalid('The project has no fabric application.'),
  no_registered_devices: destinationFailed('No device is registered at the address.'),
  no_steered_resource: invalid('The project has a steering tag that leads to no resource.'),
  no_valid_number_for_random_send_as_selection: invalid(
    'The project has no number that could be picked for `send_as`.',
  ),
  not_a_boolean: invalid('The value must be true or false.'),
  not_a_datetime: invalid(
    'The value must be a date and time of RFC 3339, or a date, that exists in the calendar.',
  ),
  not_a_hash: invalid('The value must be an object.'),
  not_a_refresh_token: invalid('A refresh token is needed here.'),
  not_a_string: invalid('The value must be a string.'),
  not_a_valid_json: malformed('The body is not valid JSON.'),
  not_allowed_on_subscription_plan: forbidden('The subscription plan does not include this.'),
  not_alphanumeric: invalid('Only letters and digits are accepted.'),
  not_an_array_of_hashes: invalid('The value must be an array of objects.'),
  not_an_array_of_strings: invalid('The value must be an array of strings.'),
  not_an_http_url: invalid('The value must be a URL with http or https.'),
  not_available_for_assignment: invalid('The resource cannot be assigned to this target.'),
  not_e164: invalid('The number must be in E.164: `+`, country code, number.'),
  not_json_or_yaml: invalid('The value must be JSON or YAML.'),
  not_parsable: invalid('The value cannot be parsed.'),
  not_parseable: invalid('The value cannot be read.'),
  not_purchased_or_verified: invalid('The project has neither purchased nor verified the number.'),
  not_registered: destinationFailed('The endpoint is not registered.'),
  not_routable: invalid('There is no route to the destination. Check which countries may be called.'),
  not_routeable: invalid('There is no route to the number in `to`.'),
  not_unique_within_project: invalid('The project has one with this value already.'),
  not_unique_within_space: invalid('The Space has one with this value already.'),
  not_valid_for_caller_id: invalid('A caller id is a number in E.164, a caller id string or a SIP URI.'),
  not_voice_capable: invalid('The number cannot carry calls.'),
  number_assignment_cannot_be_removed: invalid(
    'An assignment is removed while it is active or failed, or while its campaign is pending.',
  ),
  number_blacklisted: invalid('The number is on a block list.'),
  number_not_supported: invalid('Numbers of this kind are not supported.'),
  number_not_verified: invalid('The number in `from` has not been verified.'),
  number_of_assignments_exceed_limit: invalid('The campaign would have more numbers than it may have.'),
  out_of_sync: invalid('The resource is not in step with its source.'),
  page_token_is_invalid: invalid('The page token is not one of ours, or was made for another list.'),
  page_token_required: invalid('A `page_number` above 0 needs the `page_token` of a link.'),
  page_token_required_for_next_page: invalid('The next page needs the `page_token` of a link.'),
  pft_daily_limit_exceeded: invalid('A campaign in the free trial sends at most 200 messages a day.'),
  provided_id_is_unrecognized: notFound('The project has nothing with this id.'),
  purchased_too_recently: invalid(
    'A number can be released 14 days after its purchase at the earliest, in trial mode after 30.',
  ),
  query_processing_failed: internal('The query cannot be processed now. Try again.'),
  rate_limit_exceeded: rateLimited('Too many requests. Wait as long as `Retry-After` says.'),
  rejected_by_receiving_carrier_for_unspecified_reason: destinationFailed(
    "The recipient's carrier refused without saying why.",
  ),
  reserved_custom_variable_name: invalid('Keys of `custom_variables` must not start with a reserved prefix.'),
  reserved_header_name: invalid('This header is reserved.'),
  resource_assigned_as_handler: invalid(
    'The resource handles calls or messages and cannot be deleted while it does.',
  ),
  resource_in_different_project: invalid('The resource belongs to another project.'),
  resource_not_allowed: invalid('The token does not allow calls to this resource.'),
  resource_not_callable: invalid('The resource cannot be called.'),
  resource_not_deletable: invalid('The resource cannot be deleted.'),
  room_is_not_chat_enabled: forbidden('Chat is switched off in this room.'),
  room_token_invalid_for_session: invalid('The room token was made for another room session.'),
  room_token_is_invalid: invalid('This is not a room token of ours.'),
  sat_must_have_application: invalid('The subscriber token must belong to a fabric application.'),
  send_as_is_invalid: invalid('The number in `send_as` is missing or not valid.'),
  sending_disabled_for_space: forbidden('The Space may not send messages.'),
  sending_restricted_to_verified: invalid('Messages may be sent to verified numbers only.'),
  sip_gateway_uri_must_be_external: invalid(
    'The SIP gateway leads to SIP addresses outside of this service only.',
  ),
  sole_proprietor_daily_limit_exceeded: invalid(
    'A sole proprietor campaign sends at most 1,000 messages a day.',
  ),
  sort_order_validations: invalid('A sort order needs a field to sort by.'),
  state_size_limit_exceeded: tooLarge('The state is too large.'),
  sub_use_cases_present: invalid('Only mixed campaigns have sub use cases.'),
  terms_and_conditions_required: invalid('The terms must be accepted to register.'),
  to_destination_unresolvable: invalid('The destination in `to` leads nowhere.'),
  token_expired: unauthenticated('The token has expired. Get a new one.'),
  token_has_invalid_prefix: invalid('The token does not start as tokens of this kind do.'),
  token_invalid: unauthenticated('The credentials are missing or wrong.'),
  token_invalid_or_unadoptable: invalid(
    'The token of the media server is wrong, or not ready to be adopted.',
  ),
  token_not_associated_with_video_room: invalid('The token belongs to no video room.'),
  too_many_custom_variables: invalid('`custom_variables` has more than 20 keys.'),
  too_many_headers: invalid('There are more headers than are accepted.'),
  too_many_verification_attempts: rateLimited('Too many wrong attempts to verify.'),
  too_many_verification_requests: rateLimited('Too many calls were requested without a verification.'),
  too_many_verification_requests_in_time_frame: rateLimited(
    'Too many verifications in a short time. New ones are refused for a while.',
  ),
  unable_to_deliver_to_carrier: destinationFailed(
    'The message could not be handed to the carrier. Try again later.',
  ),
  unknown_destination_handset: destinationFailed("The recipient's device is unknown or cannot be reached."),
  unknown_download_error: destinationFailed('The download failed for an unexpected reason.'),
  unknown_error: destinationFailed('The carrier did not deliver and gave no reason.'),
  unreachable_destination_handset: destinationFailed(
    "The recipient's device is busy, off, full or cannot take messages.",
  ),
  unrecognized_fabric_addresses: invalid('Some of the addresses do not exist in this project.'),
  unrouteable_message: invalid('There is no route for the outgoing message.'),
  unrouteable_message_received: invalid('The number that received the message has no handler for it.'),
  unsupported_file_extension: invalid('Files with this extension are not supported.'),
  unsupported_media_type: invalid('Media of this content type are not supported.'),
  unsupported_mode: invalid('The number does not support this mode.'),
  unsupported_option: invalid('This option is not supported.'),
  unsupported_region: invalid('Numbers of this region are not allowed.'),
  upload_error: internal('The upload failed.'),
  uri_does_not_resolve_to_address: invalid('The URI leads to no address.'),
  uri_does_not_resolve_to_resource: invalid('The URI leads to no resource.'),
  uri_resolves_to_unsupported_resource: invalid('The URI leads to a resource that cannot be called.'),
  url_failed_to_parse: invalid('The URL cannot be parsed.'),
  url_is_unsafe: invalid('The URL leads into an internal or private network.'),
  value_not_unique: invalid('Another record has this value already.'),
  verification_request_too_soon: rateLimited('Wait a minute between two verification calls.'),
  verified_caller_id_not_permitted: invalid('A verified caller id cannot send messages.'),
} as const satisfies Record<string, Line>

/** A code of the published interface. */
export type PublicErrorCode = keyof typeof publicErrors

/** Gives a code of our own the public code under which REST shows it. */
const shownAs = (code: PublicErrorCode, line: Line) => ({ ...line, shownAs: code })

/**
 * Codes of our own, for refusals that the published list cannot tell apart. There are two reasons for one: the client
 * protocol has an answer of its own for it, or REST answers the same public code with another status. REST shows the
 * public code that stands first in the line.
 */
const ownErrors = {
  body_not_a_hash: shownAs('not_a_hash', malformed('The value must be an object.')),
  exceeds_playback_limit: shownAs(
    'invalid_state',
    wrongState('The session has as many playbacks as it may have. Stop one first.'),
  ),
  connections_used_up: shownAs(
    'rate_limit_exceeded',
    rateLimited('There are too many connections. Close some, or try again in a minute.'),
  ),
  link_expired: shownAs('token_expired', forbidden('The link has expired. Get a new one.')),
  disk_unwritable: shownAs(
    'internal_error_occurred',
    noSpace(
      'The disk of the server takes no files, so nothing can be recorded. Its operator has to see to it.',
    ),
  ),
  link_invalid: shownAs('token_invalid', forbidden('The link is not valid.')),
  media_failed: shownAs('internal_error_occurred', internal('The media could not be set up. Try again.')),
  no_space: shownAs(
    'internal_error_occurred',
    noSpace(
      'The disk of the server is nearly full, so nothing can be recorded. Its operator has to make room.',
    ),
  ),
  recordings_full: shownAs(
    'cannot_process',
    wrongState(
      'The recordings of this project take all the room that they may. Delete some, or have the quota raised.',
    ),
  ),
  not_permitted: shownAs('invalid_auth_token_permissions', forbidden('This is not permitted.')),
  playback_not_opened: shownAs(
    'cannot_process',
    destinationFailed(
      'Nothing can be played from this address: it cannot be reached, is too slow, or has no picture or sound that the server can read.',
    ),
  ),
  refresh_token_expired: shownAs('token_expired', invalid('The token has expired. Get a new one.')),
  request_invalid: shownAs('invalid_parameter', malformed('The value is not one that is accepted here.')),
  room_locked: shownAs('invalid_state', locked('The room is locked. Ask somebody inside to unlock it.')),
  waiting_room: shownAs('invalid_state', locked('Wait until a moderator lets you in.')),
  room_missing: shownAs('does_not_exist', notFound('The room does not exist. Create it first.')),
  seats_taken: shownAs('invalid_state', full('The room is full. Try again when somebody has left.')),
  server_full: shownAs(
    'internal_error_occurred',
    overloaded('The server has too much to do to take more. Try again in a minute.'),
  ),
  session_ended: shownAs('invalid_state', wrongState('The session has ended. Join again.')),
  sign_in_refused: shownAs('token_invalid', unauthenticated('The token does not admit you here.')),
  stream_not_accepted: shownAs(
    'cannot_process',
    destinationFailed(
      'The stream could not be started: its server cannot be reached, or does not take it. Check address and key.',
    ),
  ),
  too_early: shownAs('invalid_state', forbidden('The room is not open yet. Join later.')),
  too_late: shownAs('invalid_state', forbidden('The time to join is over. Ask for a new token.')),
  too_many_webhooks: shownAs(
    'account_limit_exceeded',
    invalid('The project has as many webhooks as it may have. Delete one first.'),
  ),
  unavailable: shownAs(
    'internal_error_occurred',
    unavailable('The server cannot use its database or its disk now. Try again in a few seconds.'),
  ),
  wrong_token: shownAs('token_invalid', unauthenticated('The token was not issued by this server.')),
} as const

/** Every code that a refusal may have. */
export const catalogue = { ...publicErrors, ...ownErrors }

/** A code of the catalogue. */
export type ErrorCode = keyof typeof catalogue

/** The code of the published interface that REST shows for a code. */
export const publicCode = (code: ErrorCode): PublicErrorCode =>
  code in publicErrors ? (code as PublicErrorCode) : ownErrors[code as keyof typeof ownErrors].shownAs
