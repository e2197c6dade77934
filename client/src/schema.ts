// Made from docs/openapi.json by "npm run docs".

export interface paths {
    "/api/video/rooms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rooms
         * @description All rooms of the project, newest first. Conferences are not among them.
         */
        get: operations["listRooms"];
        put?: never;
        /**
         * Create a room
         * @description Makes a room. Two rooms, or a room and a conference, cannot have one name; of two requests that race for it, one gets 422.
         */
        post: operations["createRoom"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/rooms/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a room
         * @description By its id, or by its name: what is no UUID is a name.
         */
        get: operations["getRoom"];
        /**
         * Update a room
         * @description Fields that are absent keep their values; null resets to the default. A session in progress keeps what it started with.
         */
        put: operations["updateRoom"];
        post?: never;
        /**
         * Delete a room
         * @description A session in progress ends. Sessions, recordings and events of the room stay readable.
         */
        delete: operations["deleteRoom"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a room token
         * @description Makes a signed token with which one user joins one room. The room must exist on joining unless `auto_create_room` is true. The narrower of the time windows of token and room counts.
         */
        post: operations["createRoomToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_tokens/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a room token
         * @description An addition of this server. Makes a token void before it expires: it lets nobody in any more, and who is in by it is put out at once. Revoking it again changes nothing.
         */
        post: operations["revokeRoomToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List room sessions
         * @description Running and finished sessions of the project, newest first.
         */
        get: operations["listRoomSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a room session
         * @description One session, running or finished.
         */
        get: operations["getRoomSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_sessions/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members of a session
         * @description Everybody who is or was in it, in the order of joining.
         */
        get: operations["listRoomSessionMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_sessions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events of a session
         * @description What happened in it, oldest first, also while it runs.
         */
        get: operations["listRoomSessionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_sessions/{id}/recordings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recordings of a session
         * @description The recordings made in it, newest first.
         */
        get: operations["listRoomSessionRecordings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_recordings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List room recordings
         * @description All recordings of the project, newest first, each with a fresh link to its file.
         */
        get: operations["listRoomRecordings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_recordings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a room recording
         * @description One recording, with a fresh link to its file once it is completed.
         */
        get: operations["getRoomRecording"];
        put?: never;
        post?: never;
        /**
         * Delete a room recording
         * @description Deletes record and file; links to it stop working. One that is running or paused has to be stopped before.
         */
        delete: operations["deleteRoomRecording"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_recordings/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events of a recording
         * @description What happened to it, oldest first.
         */
        get: operations["listRoomRecordingEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/recording_retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how long recordings are kept
         * @description The rule of the project. A room or conference with `recording_retention_days` has a rule of its own. An addition of Parley.
         */
        get: operations["getRecordingRetention"];
        /**
         * Set how long recordings are kept
         * @description Recordings that are older are deleted soon after, those that are there already too. An addition of Parley.
         */
        put: operations["setRecordingRetention"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/recording_quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how much room recordings may take
         * @description The limit of the project, and what its recordings take. An addition of Parley.
         */
        get: operations["getRecordingQuota"];
        /**
         * Set how much room recordings may take
         * @description Where it is used up no recording is started; those that run go on. At 80 % and at 100 % there is an event `recording.quota`. An addition of Parley.
         */
        put: operations["setRecordingQuota"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_recordings/{id}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List links of a recording
         * @description Those that have not expired. An addition of Parley.
         */
        get: operations["listRecordingShares"];
        put?: never;
        /**
         * Share a recording
         * @description Makes a link that plays the recording without credentials, until it expires, is revoked, or the recording is deleted. An addition of Parley.
         */
        post: operations["createRecordingShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/room_recordings/{id}/shares/{share_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a link of a recording
         * @description It stops working at once. An addition of Parley.
         */
        delete: operations["revokeRecordingShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/conferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List conferences
         * @description All conferences of the project, newest first.
         */
        get: operations["listConferences"];
        put?: never;
        /**
         * Create a conference
         * @description Makes a conference and its two tokens: one for moderators, one for guests.
         */
        post: operations["createConference"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/conferences/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a conference
         * @description One conference, with its session in progress if you ask for it.
         */
        get: operations["getConference"];
        /**
         * Update a conference
         * @description Fields that are absent keep their values; null resets to the default. The title is always required.
         */
        put: operations["updateConference"];
        post?: never;
        /**
         * Delete a conference
         * @description A session in progress ends and the tokens stop working. Sessions, recordings and events stay readable.
         */
        delete: operations["deleteConference"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/conferences/{id}/conference_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens of a conference
         * @description The tokens that let into it, newest first.
         */
        get: operations["listConferenceTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/conference_tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a conference token
         * @description One token with its secret.
         */
        get: operations["getConferenceToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/conference_tokens/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset a conference token
         * @description Gives the token a new secret. The old one stops working at once.
         */
        post: operations["resetConferenceToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/embedding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who may embed
         * @description The origins whose pages may embed conferences and rooms of the project. At first there are none. An addition of Parley.
         */
        get: operations["getEmbedding"];
        /**
         * Set who may embed
         * @description Replaces the list of origins. It counts from the next time that somebody opens a page with an embedded conference. An addition of Parley.
         */
        put: operations["setEmbedding"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/rooms/{id}/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List streams of a room
         * @description Newest first. They are few: one page has all of them unless a smaller one is asked for.
         */
        get: operations["listRoomStreams"];
        put?: never;
        /**
         * Create a stream of a room
         * @description It starts at once where a session is in progress, else with the next, and stops with it.
         */
        post: operations["createRoomStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/conferences/{id}/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List streams of a conference
         * @description Newest first. They are few: one page has all of them unless a smaller one is asked for.
         */
        get: operations["listConferenceStreams"];
        put?: never;
        /**
         * Create a stream of a conference
         * @description It starts at once where a session is in progress, else with the next, and stops with it.
         */
        post: operations["createConferenceStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/streams/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a stream
         * @description One stream, with the measures of the picture that it carries.
         */
        get: operations["getStream"];
        /**
         * Update a stream
         * @description Sends it to another address; one that runs goes there at once.
         */
        put: operations["updateStream"];
        post?: never;
        /**
         * Delete a stream
         * @description One that runs is stopped.
         */
        delete: operations["deleteStream"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Newest first, without their secrets. An addition of Parley.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Events that happen from now on are sent to its address. Answers with its secret, which is shown only now. An addition of Parley.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description One webhook, without its secret. An addition of Parley.
         */
        get: operations["getWebhook"];
        /**
         * Update a webhook
         * @description Fields that are absent keep their values; null resets to the default. `enabled` switches one on again that was disabled. An addition of Parley.
         */
        put: operations["updateWebhook"];
        post?: never;
        /**
         * Delete a webhook
         * @description What waits for it is not sent any more. An addition of Parley.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description For a while messages are signed with the old secret too. Answers with the new one, which is shown only now. An addition of Parley.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of a webhook
         * @description What was sent, and what waits, newest first. Deliveries are kept for the days that the operator chose. An addition of Parley.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery of a webhook
         * @description One delivery, with what came of each attempt. An addition of Parley.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/webhooks/{id}/deliveries/{delivery_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description The message has the same `webhook-id` as before. It does not wait for others of its session. One that waits for its next attempt is sent now, when it is its turn. An addition of Parley.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send deliveries of a webhook again
         * @description Sends again what failed, or what was delivered, in a span of time; those of a session one after the other. An addition of Parley.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List video logs
         * @description Sessions, recordings and runs of streams of the project in one list, newest first.
         */
        get: operations["listVideoLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/logs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a video log
         * @description One entry, by the id of what it is about.
         */
        get: operations["getVideoLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an invitation
         * @description For whoever has the token of a conference, as bearer token: its look, and whether one can join now. The page of the conference needs no more. An addition of Parley.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/video/conference_looks/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look at a conference from outside
         * @description For everybody who knows the name, without credentials: how a conference looks, and whether one can join now. Only of conferences with `public_look`; of all others, as of names that do not exist, the answer is 404. An address may ask 120 times a minute. Whoever has a token of the conference reads its invitation instead. An addition of Parley.
         */
        get: operations["getConferenceLook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/fabric/subscribers/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create tokens of a subscriber
         * @description For the server of a project: an access token and a refresh token for one of its users. The subscriber is made at the first use of a `reference`. The access token lives two hours unless `expire_at` says otherwise.
         */
        post: operations["createSubscriberToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/fabric/subscribers/tokens/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the tokens of a subscriber
         * @description An addition of Parley. Makes all tokens of a subscriber void at once, and those of its guests. Name the subscriber by `subscriber_id` or by `reference`. It can be given new tokens.
         */
        post: operations["revokeSubscriberTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/fabric/subscribers/tokens/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refresh the tokens of a subscriber
         * @description Gives a new pair of tokens for a refresh token that has not expired. Each refresh token works once. When it is used again, all tokens that came from the same sign-in are void: somebody has stolen it. Send an `Idempotency-Key`, so that a request whose answer was lost can be sent again.
         */
        post: operations["refreshSubscriberToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/fabric/guests/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a guest token
         * @description For a subscriber: a token that sees some of the addresses that the subscriber sees, and nothing else. It lives an hour unless `expire_at` says otherwise, and ends with the token of the subscriber at the latest.
         */
        post: operations["createGuestToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/fabric/addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List addresses
         * @description What can be called: rooms, conferences and subscribers, newest first unless `sort_by` says otherwise. A subscriber sees itself and the rooms and conferences that its project opens to subscribers; a guest those of its token. Neither sees the `reference` of another subscriber, nor a preview of what cannot be joined.
         */
        get: operations["listAddresses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/fabric/addresses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an address
         * @description One address, if the caller may see it.
         */
        get: operations["getAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/laml/2010-04-01/Accounts/{account_sid}/Calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List calls
         * @description Every client that is or was in a session: members, viewers, screen shares and extra devices, newest first. The path may end in `.json`.
         */
        get: operations["listCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/laml/2010-04-01/Accounts/{account_sid}/Calls/{sid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a call
         * @description One call. The path may end in `.json`.
         */
        get: operations["getCall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/messaging/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages
         * @description What was written in the conferences and rooms of the project, newest first.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/messaging/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a message
         * @description One message.
         */
        get: operations["getMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/management/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description The people who may sign in to the project, oldest first. An addition of Parley.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Add a user
         * @description Adds a user, and answers with a one-time link by which the user chooses a password within 24 hours. Send the link yourself. An addition of Parley.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/management/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description One user. An addition of Parley.
         */
        get: operations["getUser"];
        /**
         * Change the role of a user
         * @description Gives the user another role and signs the user out everywhere. A project keeps an owner. An addition of Parley.
         */
        put: operations["updateUser"];
        post?: never;
        /**
         * Remove a user
         * @description Removes the user and signs the user out everywhere. A project keeps an owner. An addition of Parley.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/management/users/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the password of a user
         * @description Makes the password void, signs the user out everywhere, and answers with a one-time link for a new password. An addition of Parley.
         */
        post: operations["resetUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/management/api_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API tokens
         * @description The API tokens of the project, oldest first, without their secrets. An addition of Parley.
         */
        get: operations["listApiTokens"];
        put?: never;
        /**
         * Create an API token
         * @description Answers with the token itself, which is shown only now. An addition of Parley.
         */
        post: operations["createApiToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/management/api_tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an API token
         * @description One API token, without its secret. An addition of Parley.
         */
        get: operations["getApiToken"];
        put?: never;
        post?: never;
        /**
         * Revoke an API token
         * @description The token stops working at once. An addition of Parley.
         */
        delete: operations["revokeApiToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/management/audit_entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description What administration did in the project, newest first: at the command line, with API tokens, and by users. An addition of Parley.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who am I?
         * @description The project and the rights of the credentials, and the user if they are the cookie of a session. An addition of Parley.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what runs
         * @description Rooms, people, recordings and streams of the project at this moment. An addition of Parley.
         */
        get: operations["getLiveFigures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the use of the last hours
         * @description Minutes of members, recordings and streams by hour, with their cost. What still runs is included. An addition of Parley.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the space that recordings take
         * @description Size of the recordings of the project, and what is left on the disk. An addition of Parley.
         */
        get: operations["getStorageUse"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List problems
         * @description Events of all sessions that are warnings or errors, newest first. An addition of Parley.
         */
        get: operations["listProblems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/recordings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search recordings
         * @description Recordings by room, date and status, newest first. A page may hold fewer than asked for, although there are more. An addition of Parley.
         */
        get: operations["searchRecordings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/recordings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a recording with its room
         * @description One recording, as the list has it. An addition of Parley.
         */
        get: operations["getFoundRecording"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/old_recordings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count old recordings
         * @description What a rule for the age of recordings would delete now. An addition of Parley.
         */
        get: operations["countOldRecordings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/room_sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search sessions
         * @description Sessions by room, person, date and status, newest first; those of a person in the order in which she joined. A page may hold fewer than asked for, although there are more. An addition of Parley.
         */
        get: operations["searchSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/room_sessions/{id}/quality": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how connections were
         * @description Loss, jitter, round trip, bitrates and frame rate of each member over time, and how much she talked. Without the audience; of a session in progress up to a minute ago. An addition of Parley.
         */
        get: operations["listSessionQuality"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/session_names": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggest names to search for
         * @description Names of rooms and people, by how they begin. An addition of Parley.
         */
        get: operations["listSessionNames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/rooms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search rooms
         * @description Newest first; those that are searched for by name or title. A page may hold fewer than asked for, although there are more. An addition of Parley.
         */
        get: operations["searchRooms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/conferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search conferences
         * @description Newest first; those that are searched for by name or title. A page may hold fewer than asked for, although there are more. An addition of Parley.
         */
        get: operations["searchConferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/live_rooms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List running rooms
         * @description The newest running rooms, with the people in them. The event stream says when to read them again. An addition of Parley.
         */
        get: operations["listLiveRooms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/live_rooms/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a running room
         * @description One running room, by the id of its session. An addition of Parley.
         */
        get: operations["getLiveRoom"];
        /**
         * Lock a running room, or arrange its picture
         * @description Counts until the session ends. An addition of Parley.
         */
        put: operations["updateLiveRoom"];
        post?: never;
        /**
         * End a session
         * @description Ends it for everybody. The room stays. An addition of Parley.
         */
        delete: operations["endLiveRoom"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/live_rooms/{id}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mute a member, or everybody
         * @description They can unmute themselves again, if they may. An addition of Parley.
         */
        post: operations["muteInLiveRoom"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/live_rooms/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write into the chat of a running room
         * @description Everybody in the room reads it, under the name of the user. An addition of Parley.
         */
        post: operations["writeToLiveRoom"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/live_rooms/{id}/recordings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record a running room
         * @description Answered when the first frame is in the file. An addition of Parley.
         */
        post: operations["recordLiveRoom"];
        /**
         * Stop the recording of a running room
         * @description No error where nothing is recorded. An addition of Parley.
         */
        delete: operations["stopRecordingLiveRoom"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/live_rooms/{id}/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stream a running room
         * @description Until the session ends. Answered when the destination has taken it, or has not. An addition of Parley.
         */
        post: operations["streamLiveRoom"];
        /**
         * Stop all streams of a running room
         * @description Streams of the room start again with its next session. An addition of Parley.
         */
        delete: operations["stopStreamsOfLiveRoom"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all streams
         * @description Streams of all rooms and conferences, and those that people started in a session, newest first. No answer has the key of a destination. With `status` a page may hold fewer than asked for, although there are more. An addition of Parley.
         */
        get: operations["listStreams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/streams/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a stream without its key
         * @description As the list has it. An addition of Parley.
         */
        get: operations["getListedStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/streams/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a stream again
         * @description Starts a stream of a room that was stopped in the session in progress. One that runs or waits for a session is left as it is. An addition of Parley.
         */
        post: operations["startStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/streams/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a stream
         * @description Stops a stream until the next session of its room. One that does not run is left as it is. An addition of Parley.
         */
        post: operations["stopStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/stream_tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test an address
         * @description Sends a few seconds of test picture to an address, and says what became of it. Whether a port is closed or speaks something else is not told. One test of a project runs at a time. An addition of Parley.
         */
        post: operations["testStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the latest requests
         * @description The last 1000 requests to the API with credentials of the project, newest first, as long as the server remembers them: it keeps them in memory, for 50 projects. What the dashboard reads is not among them. An addition of Parley.
         */
        get: operations["listLoggedRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List media workers
         * @description Load and ports of the processes that do media. An addition of Parley.
         */
        get: operations["listMediaWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/checkup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the newest checkup
         * @description What `parley doctor` says about this server. It is examined anew if the newest checkup is older than an hour. An addition of Parley.
         */
        get: operations["getCheckup"];
        put?: never;
        /**
         * Examine the server
         * @description Runs `parley doctor` now, which takes some seconds. An addition of Parley.
         */
        post: operations["startCheckup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/server/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the version
         * @description What runs, and since when. For the first project of the server. An addition of Parley.
         */
        get: operations["getServerVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/server/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the configuration
         * @description The options as they were read at the start, where each came from, and no secrets. For the first project of the server. An addition of Parley.
         */
        get: operations["getConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/server/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the end of the log
         * @description The last 1000 lines that the server process wrote, without secrets. Those of the media workers are on its standard output alone. For the first project of the server. An addition of Parley.
         */
        get: operations["listLogLines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/server/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether the server is being emptied
         * @description Whether new sessions may begin, and how many run. For the first project of the server. An addition of Parley.
         */
        get: operations["getDrain"];
        /**
         * Empty the server, or end that
         * @description While it is emptied no session begins: whoever would begin one is refused. Sessions that run go on, and people may join them. A restart ends it. For the first project of the server. An addition of Parley.
         */
        put: operations["setDrain"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/server/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List backups
         * @description The backups in the folder of the server, and the one that is being made. For the first project of the server. An addition of Parley.
         */
        get: operations["listBackups"];
        put?: never;
        /**
         * Back up now
         * @description Begins a backup as `parley backup` makes it, unless one is being made. For the first project of the server. An addition of Parley.
         */
        post: operations["startBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Sign in
         * @description For pages of this server: checks name and password of a user and sets the cookie of a new session. The session that the browser had ends. An addition of Parley.
         */
        put: operations["signIn"];
        post?: never;
        /**
         * Sign out
         * @description Ends the session of the cookie. An addition of Parley.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List own sessions
         * @description The browsers in which the user is signed in. An addition of Parley.
         */
        get: operations["listOwnSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of the own sessions
         * @description Signs the user out in another browser. An addition of Parley.
         */
        delete: operations["endOwnSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the own password
         * @description Sets a new password and ends all other sessions of the user. The password has at least 12 characters and must not be easy to guess. An addition of Parley.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/sign_in_link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a one-time link
         * @description Whom the link invites, and to what. It stays good. An addition of Parley.
         */
        get: operations["getSignInLink"];
        /**
         * Use a one-time link
         * @description Sets the password, uses the link up, and signs in. The password has at least 12 characters and must not be easy to guess. An addition of Parley.
         */
        put: operations["acceptSignInLink"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a Chat token
         * @description Makes a signed token with which one client connects, to read and write in the channels that it names.
         */
        post: operations["createChatToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pubsub/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a PubSub token
         * @description Makes a signed token with which one client connects, to read and write in the channels that it names.
         */
        post: operations["createPubSubToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AcceptSignInLink
         * @description With what the user will sign in.
         */
        AcceptSignInLink: {
            /**
             * @description The name to sign in with, for an owner who has none yet.
             * @example ada@example.org
             */
            name?: string | null;
            /**
             * @description The password to sign in with, of at least 12 characters.
             * @example four words nobody else has
             */
            password: string;
        };
        /**
         * ActiveSession
         * @description The session in progress.
         */
        ActiveSession: {
            /**
             * Format: uuid
             * @description Id of the session.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: uuid
             * @description The room it was started from.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_id: string | null;
            /**
             * @description Name of the room.
             * @example standup
             */
            name: string | null;
            /**
             * @description Title for people; the name unless given.
             * @example Daily stand-up
             */
            display_name: string | null;
            /**
             * @description Members at one time, audience aside.
             * @example 20
             */
            max_members: number | null;
            /**
             * @description Height of the composed picture: 720p or 1080p.
             * @example 720p
             */
            quality: string | null;
            /**
             * @description Frames per second of the composed picture: 20 or 30.
             * @example 20
             */
            fps: number | null;
            /**
             * Format: date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             */
            join_from: string | null;
            /**
             * Format: date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until: string | null;
            /**
             * Format: date-time
             * @description Everybody is removed at this time.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at: string | null;
            /**
             * @description Each member is removed after so many seconds.
             * @example 3600
             */
            remove_after_seconds_elapsed: number | null;
            /**
             * @description Layout that sessions start with.
             * @example grid-responsive
             */
            layout: string | null;
            /**
             * @description Start a recording when a session starts.
             * @example true
             */
            record_on_start: boolean;
            /**
             * @description Make a small preview video of what goes on in the room.
             * @example true
             */
            enable_room_previews: boolean | null;
            /**
             * Format: date-time
             * @description When the first member joined.
             * @example 2030-01-31T09:30:00Z
             */
            start_time: string | null;
            /**
             * Format: date-time
             * @description When it ended; null while it is in progress.
             * @example 2030-01-31T09:42:14Z
             */
            end_time: string | null;
            /**
             * @description Seconds from start to end, or until now while it is in progress.
             * @example 734
             */
            duration: number | null;
            /**
             * @description Whether it is still going on.
             * @example in-progress
             * @enum {string|null}
             */
            status: "in-progress" | "completed" | null;
            /**
             * @description Preview video, while it is in progress and previews are enabled: four seconds without sound, 320x180, in MP4, made anew every 20 seconds. Whoever has the link may follow it; 404 until the first is complete and once the session has ended.
             * @example https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8
             */
            preview_url: string | null;
            /**
             * @description Keep audio and video in step: `sync_audio_video` of the room.
             * @example true
             */
            audio_video_sync: boolean | null;
        };
        /**
         * Address
         * @description Something of the project that can be called.
         */
        Address: {
            /**
             * Format: uuid
             * @description Id of the address.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Name of the room or conference, or reference of the subscriber.
             * @example standup
             */
            name: string;
            /**
             * @description Title for people.
             * @example Daily stand-up
             */
            display_name: string;
            /**
             * @description What answers there. A conference is a room.
             * @example room
             * @enum {string}
             */
            type: "room" | "subscriber";
            /**
             * @description A picture to show in its place.
             * @example https://example.org/cover.png
             */
            cover_url: string | null;
            /**
             * @description Preview video of the session in progress, as a room session has it.
             * @example https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8
             */
            preview_url: string | null;
            /**
             * @description Nobody can join now.
             * @example true
             */
            locked: boolean;
            /**
             * @description Ways to reach it.
             * @example {
             *       "audio": "/public/standup?channel=audio",
             *       "video": "/public/standup?channel=video"
             *     }
             */
            channels: {
                /**
                 * @description Where to call with sound alone.
                 * @example /public/standup?channel=audio
                 */
                audio?: string;
                /**
                 * @description Where to call with picture and sound.
                 * @example /public/standup?channel=video
                 */
                video?: string;
                /**
                 * @description Where to write to.
                 * @example /public/standup?channel=messaging
                 */
                messaging?: string;
            };
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
        };
        /**
         * AddressPage
         * @description One page of a list.
         */
        AddressPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["Address"][];
        };
        /**
         * Announced
         * @description A message that was written into the chat of a room.
         */
        Announced: {
            /**
             * @description The message.
             * @example The meeting ends in five minutes.
             */
            text: string;
            /**
             * @description The name under which people read it.
             * @example Ada
             */
            from: string;
        };
        /**
         * Announcement
         * @description A message into the chat of a room.
         */
        Announcement: {
            /**
             * @description What everybody reads.
             * @example The meeting ends in five minutes.
             */
            text: string;
        };
        /**
         * ApiToken
         * @description An API token of the project.
         */
        ApiToken: {
            /**
             * Format: uuid
             * @description Id of the token.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description What the token is for, in your words.
             * @example Back end
             */
            name: string;
            /**
             * @description What the token may be used for, in the order of the alphabet. `management` decides about users and API tokens.
             * @example [
             *       "video"
             *     ]
             */
            scopes: ("calling" | "chat" | "fax" | "management" | "messaging" | "numbers" | "pubsub" | "storage" | "tasking" | "video")[];
            /**
             * Format: date-time
             * @description When it was used last, to the minute; null for never.
             * @example 2030-01-31T09:30:00Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
        };
        /**
         * ApiTokens
         * @description The API tokens of the project.
         */
        ApiTokens: {
            /** @description Oldest first. */
            data: components["schemas"]["ApiToken"][];
        };
        /**
         * AuditEntry
         * @description Something that administration did in the project.
         */
        AuditEntry: {
            /**
             * Format: uuid
             * @description Id of the entry.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Who did it.
             * @example {
             *       "kind": "user",
             *       "name": "ada@example.org"
             *     }
             */
            actor: {
                /**
                 * @description Who did it: a user of the machine at the command line, an API token, a user, or the server.
                 * @example user
                 * @enum {string}
                 */
                kind: "os-user" | "api-token" | "user" | "server";
                /**
                 * @description Name of the user, or id of the API token.
                 * @example ada@example.org
                 */
                name: string;
            };
            /**
             * @description What was done: the thing, a dot, the verb.
             * @example api_token.revoke
             */
            action: string;
            /**
             * @description Id of what was changed; null if that is the project.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            target: string | null;
            /**
             * @description More about it, without secrets.
             * @example {
             *       "name": "Back end"
             *     }
             */
            details: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was done.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
        };
        /**
         * AuditEntryPage
         * @description One page of a list.
         */
        AuditEntryPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["AuditEntry"][];
        };
        /**
         * Backups
         * @description The backups in the folder of the server.
         */
        Backups: {
            /**
             * @description Where they are on the server.
             * @example /var/lib/parley/backups
             */
            folder: string;
            /**
             * @description Free space there.
             * @example 250000000000
             */
            free_bytes: number;
            /**
             * @description Whether one is being made.
             * @example false
             */
            running: boolean;
            /**
             * @description What the one that is being made has so far.
             * @example 0
             */
            copied_bytes: number;
            /**
             * @description Why the last attempt since the start of the server failed; null if it did not.
             * @example There is no backup: the disk is full.
             */
            problem: string | null;
            /** @description Those that are there, newest first. */
            data: components["schemas"]["KeptBackup"][];
        };
        /**
         * Call
         * @description One client in a session: a member, viewer, screen share or extra device.
         */
        Call: {
            /**
             * Format: uuid
             * @description Id of the call.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            sid: string;
            /**
             * Format: uuid
             * @description Id of the project.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            account_sid: string;
            /**
             * @description Version of this family.
             * @example 2010-04-01
             */
            api_version: string;
            /**
             * @description When the call was made.
             * @example Thu, 31 Jan 2030 09:30:00 +0000
             */
            date_created: string;
            /**
             * @description When the call was changed last.
             * @example Thu, 31 Jan 2030 09:30:00 +0000
             */
            date_updated: string;
            /**
             * Format: uuid
             * @description The call of the member, where this is its screen share or extra device.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            parent_call_sid: string | null;
            /**
             * @description Name of the room or conference.
             * @example standup
             */
            to: string;
            /**
             * @description The same as `to`.
             * @example standup
             */
            formatted_to: string;
            /**
             * @description The same as `to`.
             * @example standup
             */
            to_formatted: string;
            /**
             * @description Name of the user.
             * @example Ada
             */
            from: string;
            /**
             * @description The same as `from`.
             * @example Ada
             */
            formatted_from: string;
            /**
             * @description The same as `from`.
             * @example Ada
             */
            from_formatted: string;
            /**
             * @description Always null: there are no telephone numbers.
             * @example null
             */
            phone_number_sid: string | null;
            /**
             * @description Whether the call goes on.
             * @example in-progress
             * @enum {string}
             */
            status: "in-progress" | "completed";
            /**
             * @description When the call was answered.
             * @example Thu, 31 Jan 2030 09:30:00 +0000
             */
            start_time: string;
            /**
             * @description When the call ended; null while it goes on.
             * @example Thu, 31 Jan 2030 09:30:00 +0000
             */
            end_time: string | null;
            /**
             * @description How long it was, or has been until now, in seconds.
             * @example 1260
             */
            duration: number;
            /**
             * @description What it costs by the price list of this server; a screen share or device is free.
             * @example 0.042
             */
            price: number;
            /**
             * @description Currency of `price` (ISO 4217).
             * @example USD
             */
            price_unit: string;
            /**
             * @description Clients call the server, never the other way.
             * @example inbound
             * @enum {string}
             */
            direction: "inbound";
            /**
             * @description Always null: rooms answer.
             * @example null
             */
            answered_by: string | null;
            /**
             * @description Always null: calls are not forwarded.
             * @example null
             */
            forwarded_from: string | null;
            /**
             * @description Always null: there is no directory of numbers.
             * @example null
             */
            caller_name: string | null;
            /**
             * @description Always null: calls have no notes.
             * @example null
             */
            annotation: string | null;
            /**
             * @description Path of this call.
             * @example /api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls/0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11.json
             */
            uri: string;
            /**
             * @description Empty: calls have no parts of their own.
             * @example {}
             */
            subresource_uris: Record<string, never>;
        };
        /**
         * CallPage
         * @description One page of the list of calls.
         */
        CallPage: {
            /**
             * @description Path of this page.
             * @example /api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls?Page=0&PageSize=50
             */
            uri: string;
            /**
             * @description Path of the first page.
             * @example /api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls?Page=0&PageSize=50
             */
            first_page_uri: string;
            /**
             * @description Path of the next page; null on the last.
             * @example /api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls?Page=1&PageSize=50&PageToken=PAbm90aGluZw
             */
            next_page_uri: string | null;
            /**
             * @description Path of the page before; null on the first.
             * @example null
             */
            previous_page_uri: string | null;
            /**
             * @description Number of this page, from 0.
             * @example 0
             */
            page: number;
            /**
             * @description How many calls a page has at most.
             * @example 50
             */
            page_size: number;
            /** @description The calls, newest first. */
            calls: components["schemas"]["Call"][];
        };
        /**
         * ChangePassword
         * @description A new password for oneself.
         */
        ChangePassword: {
            /**
             * @description The present password.
             * @example four words nobody else has
             */
            current_password: string;
            /**
             * @description The new password, of at least 12 characters.
             * @example four words nobody else has
             */
            password: string;
        };
        /**
         * ChatToken
         * @description A chat token.
         */
        ChatToken: {
            /**
             * @description What the client connects with.
             * @example eyJhbGciOiJIUzUxMiIsInR5cCI6IkNIVCJ9.eyJzdWIiOiI5ZDNmIn0.c2lnbmF0dXJl
             */
            token: string;
        };
        /**
         * Checkup
         * @description What `parley doctor` says about the server.
         */
        Checkup: {
            /**
             * Format: date-time
             * @description When the server was examined.
             * @example 2030-01-31T09:30:00Z
             */
            examined_at: string;
            /** @description What was found. */
            data: components["schemas"]["Finding"][];
        };
        /**
         * CompatibilityError
         * @description What is wrong with the request.
         */
        CompatibilityError: {
            /**
             * @description What is wrong, for programs; one of the codes of the error page.
             * @example invalid_parameter
             */
            code: string;
            /**
             * @description Everything that is wrong, for people.
             * @example PageSize: The value must be 1000 or less.
             */
            message: string;
            /**
             * @description Where the code is explained.
             * @example https://meet.example.org/errors#invalid_parameter
             */
            more_info: string;
            /**
             * @description Status of the answer.
             * @example 422
             */
            status: number;
        };
        /**
         * Conference
         * @description A room with a theme, a size and tokens of its own.
         */
        Conference: {
            /**
             * Format: uuid
             * @description Id of the conference.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Unique among the rooms and conferences of the project.
             * @example town-hall
             */
            name: string;
            /**
             * @description Title for people.
             * @example Town hall
             */
            display_name: string | null;
            /**
             * @description What the conference is for.
             * @example Everybody, once a quarter.
             */
            description: string | null;
            /**
             * @description Height of the composed picture: 720p or 1080p.
             * @example 720p
             * @enum {string}
             */
            quality: "720p" | "1080p";
            /**
             * Format: date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             */
            join_from: string | null;
            /**
             * Format: date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until: string | null;
            /**
             * Format: date-time
             * @description Everybody is removed at this time. For conferences an addition of this server.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at: string | null;
            /**
             * @description Layout that sessions start with.
             * @example grid-responsive
             */
            layout: string;
            /**
             * @description Start a recording when a session starts.
             * @example true
             */
            record_on_start: boolean;
            /**
             * @description Play a tone when somebody enters or leaves.
             * @example true
             */
            tone_on_entry_and_exit: boolean;
            /**
             * @description Members join with their video off, by setting of the room.
             * @example true
             */
            room_join_video_off: boolean;
            /**
             * @description Members join with their video off, by setting of the user.
             * @example true
             */
            user_join_video_off: boolean;
            /**
             * @description Make a small preview video of what goes on in the room.
             * @example true
             */
            enable_room_previews: boolean | null;
            /**
             * @description Let people watch sessions over HLS, as many as like to, by the link `hls_url` of the session. An addition of this server.
             * @example true
             */
            enable_hls: boolean;
            /**
             * @description Draw the names of members onto their tiles, so that recordings, streams and previews show them too. An addition of this server.
             * @example true
             */
            name_labels: boolean;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @example true
             */
            waiting_room: boolean;
            /**
             * @description Its recordings are deleted so many days after they were finished; 0 keeps them for ever, and null leaves it to the rule of the project. An addition of this server.
             * @example 90
             */
            recording_retention_days: number | null;
            /**
             * @description Anything you want to keep with the room.
             * @example {
             *       "customer": 42
             *     }
             */
            meta: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2030-01-31T09:30:00Z
             */
            updated_at: string;
            /**
             * @description Members at one time: small takes 10, medium 50, large 300.
             * @default medium
             * @example medium
             * @enum {string|null}
             */
            size: "small" | "medium" | "large" | null;
            /**
             * @description Participants can write to each other.
             * @example true
             */
            enable_chat: boolean;
            /**
             * @description Everybody who knows the name can read title, description, colours, times and state, without a link. An addition of this server.
             * @example true
             */
            public_look: boolean;
            /**
             * @description Colour of the dark theme: main buttons and selected items.
             * @example #044EF4
             */
            dark_primary: string | null;
            /**
             * @description Colour of the dark theme: main background.
             * @example #FFFFFF
             */
            dark_background: string | null;
            /**
             * @description Colour of the dark theme: text on the main background.
             * @example #1D2127
             */
            dark_foreground: string | null;
            /**
             * @description Colour of the dark theme: what went well.
             * @example #17BB58
             */
            dark_success: string | null;
            /**
             * @description Colour of the dark theme: what went wrong.
             * @example #F42C50
             */
            dark_negative: string | null;
            /**
             * @description Colour of the light theme: main buttons and selected items.
             * @example #044EF4
             */
            light_primary: string | null;
            /**
             * @description Colour of the light theme: main background.
             * @example #FFFFFF
             */
            light_background: string | null;
            /**
             * @description Colour of the light theme: text on the main background.
             * @example #1D2127
             */
            light_foreground: string | null;
            /**
             * @description Colour of the light theme: what went well.
             * @example #17BB58
             */
            light_success: string | null;
            /**
             * @description Colour of the light theme: what went wrong.
             * @example #F42C50
             */
            light_negative: string | null;
            active_session?: components["schemas"]["ActiveSession"] | null;
        };
        /**
         * ConferenceLook
         * @description A conference from outside, for everybody who knows its name.
         */
        ConferenceLook: {
            /**
             * @description Unique among the rooms and conferences of the project.
             * @example town-hall
             */
            name: string;
            /**
             * @description Title for people.
             * @example Town hall
             */
            display_name: string | null;
            /**
             * @description What the conference is for.
             * @example Everybody, once a quarter.
             */
            description: string | null;
            /**
             * Format: date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             */
            join_from: string | null;
            /**
             * Format: date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until: string | null;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @example true
             */
            waiting_room: boolean;
            /**
             * @description Members at one time: small takes 10, medium 50, large 300.
             * @default medium
             * @example medium
             * @enum {string}
             */
            size: "small" | "medium" | "large";
            /**
             * @description Participants can write to each other.
             * @example true
             */
            enable_chat: boolean;
            /**
             * @description Colour of the dark theme: main buttons and selected items.
             * @example #044EF4
             */
            dark_primary: string;
            /**
             * @description Colour of the dark theme: main background.
             * @example #FFFFFF
             */
            dark_background: string;
            /**
             * @description Colour of the dark theme: text on the main background.
             * @example #1D2127
             */
            dark_foreground: string;
            /**
             * @description Colour of the dark theme: what went well.
             * @example #17BB58
             */
            dark_success: string;
            /**
             * @description Colour of the dark theme: what went wrong.
             * @example #F42C50
             */
            dark_negative: string;
            /**
             * @description Colour of the light theme: main buttons and selected items.
             * @example #044EF4
             */
            light_primary: string;
            /**
             * @description Colour of the light theme: main background.
             * @example #FFFFFF
             */
            light_background: string;
            /**
             * @description Colour of the light theme: text on the main background.
             * @example #1D2127
             */
            light_foreground: string;
            /**
             * @description Colour of the light theme: what went well.
             * @example #17BB58
             */
            light_success: string;
            /**
             * @description Colour of the light theme: what went wrong.
             * @example #F42C50
             */
            light_negative: string;
            /**
             * @description Whether one can join now: `open`; `early`, before `join_from`; `over`, after `join_until`; `full` or `locked`, which may pass.
             * @example open
             * @enum {string}
             */
            state: "open" | "early" | "over" | "full" | "locked";
            /**
             * Format: date-or-date-time
             * @description Time of the server, for countdowns to `join_from`.
             * @example 2030-01-31T09:30:00Z
             * @example 2030-01-31
             */
            now: string;
        };
        /**
         * ConferencePage
         * @description One page of a list.
         */
        ConferencePage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["Conference"][];
        };
        /**
         * ConferenceToken
         * @description A secret that lets into a conference until it is reset.
         */
        ConferenceToken: {
            /**
             * Format: uuid
             * @description Id of the token; it stays when the token is reset.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Whom it is for: `moderator` or `guest`.
             * @example guest
             */
            name: string | null;
            /**
             * @description What the client connects with. Whoever has it can join.
             * @example vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813
             */
            token: string;
            /**
             * @description Link of the page on which people join with it (an addition of Parley). It works as long as the token does.
             * @example https://meet.example.org/c/town-hall#vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813
             */
            url: string;
            /**
             * @description What those who join with it may do.
             * @example [
             *       "room.self.audio_mute",
             *       "room.self.audio_unmute"
             *     ]
             */
            scopes: string[];
        };
        /**
         * ConferenceTokenPage
         * @description One page of a list.
         */
        ConferenceTokenPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["ConferenceToken"][];
        };
        /**
         * Configuration
         * @description The configuration of the server as it was read at its start.
         */
        Configuration: {
            /** @description All options. */
            data: components["schemas"]["ConfigurationValue"][];
            /**
             * @description Variables that look like options, but are none: most likely misspelt.
             * @example [
             *       "PARLEY_PROT"
             *     ]
             */
            unknown: string[];
        };
        /**
         * ConfigurationValue
         * @description One option of the server.
         */
        ConfigurationValue: {
            /**
             * @description Name of the environment variable.
             * @example PARLEY_PORT
             */
            name: string;
            /**
             * @description The value in effect; null for none, and `(secret)` for one that is never shown.
             * @example 8443
             */
            value: string | null;
            /**
             * @description Where the value came from.
             * @example default
             * @enum {string}
             */
            source: "environment" | "default";
            /**
             * @description What it is for.
             * @example TCP port for HTTPS.
             */
            description: string;
        };
        /**
         * CreateApiToken
         * @description What the token is for.
         */
        CreateApiToken: {
            /**
             * @description What the token is for, in your words.
             * @example Back end
             */
            name: string;
            /**
             * @description What the token may be used for, in the order of the alphabet. `management` decides about users and API tokens.
             * @example [
             *       "video"
             *     ]
             */
            scopes: ("calling" | "chat" | "fax" | "management" | "messaging" | "numbers" | "pubsub" | "storage" | "tasking" | "video")[];
        };
        /**
         * CreateChatToken
         * @description What a member may do in which channels.
         */
        CreateChatToken: {
            /**
             * @description How long the token can be used, in minutes. At most 30 days.
             * @example 60
             */
            ttl: number;
            /**
             * @description Names of channels, 500 at most, of up to 250 characters each. They must not start with `sw_` and have no control characters.
             * @example {
             *       "news": {
             *         "read": true
             *       },
             *       "lobby": {
             *         "read": true,
             *         "write": true
             *       }
             *     }
             */
            channels: {
                [key: string]: {
                    /**
                     * @description The member sees what is written, and who is there.
                     * @default false
                     * @example true
                     */
                    read?: boolean | null;
                    /**
                     * @description The member may write.
                     * @default false
                     * @example true
                     */
                    write?: boolean | null;
                };
            };
            /**
             * @description Who the member is, to the others. A random UUID unless given.
             * @example ada
             */
            member_id?: string | null;
            /**
             * @description What the others see of the member. At most 2,000 characters of JSON.
             * @example {
             *       "mood": "curious"
             *     }
             */
            state?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * CreateConference
         * @description A new conference.
         */
        CreateConference: {
            /**
             * @description Unique among the rooms and conferences of the project; made from the title unless given.
             * @example town-hall
             */
            name?: string | null;
            /**
             * @description Title for people.
             * @example Town hall
             */
            display_name: string;
            /**
             * @description What the conference is for.
             * @example Fifteen minutes, every morning.
             */
            description?: string | null;
            /**
             * @description Height of the composed picture: 720p or 1080p.
             * @default 720p
             * @example 720p
             * @enum {string|null}
             */
            quality?: "720p" | "1080p" | null;
            /**
             * Format: date-or-date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             * @example 2030-01-31
             */
            join_from?: string | null;
            /**
             * Format: date-or-date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until?: string | null;
            /**
             * Format: date-or-date-time
             * @description Everybody is removed at this time. For conferences an addition of this server.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at?: string | null;
            /**
             * @description Layout that sessions start with.
             * @default grid-responsive
             * @example grid-responsive
             * @enum {string|null}
             */
            layout?: "grid-responsive" | "grid-responsive-mobile" | "highlight-1-responsive" | "1x1" | "2x1" | "2x2" | "5up" | "3x3" | "4x4" | "5x5" | "6x6" | "8x8" | "10x10" | null;
            /**
             * @description Start a recording when a session starts.
             * @default false
             * @example false
             */
            record_on_start?: boolean | null;
            /**
             * @description Play a tone when somebody enters or leaves.
             * @default false
             * @example false
             */
            tone_on_entry_and_exit?: boolean | null;
            /**
             * @description Members join with their video off, by setting of the room.
             * @default false
             * @example false
             */
            room_join_video_off?: boolean | null;
            /**
             * @description Members join with their video off, by setting of the user.
             * @default false
             * @example false
             */
            user_join_video_off?: boolean | null;
            /**
             * @description Make a small preview video of what goes on in the room.
             * @default false
             * @example false
             */
            enable_room_previews?: boolean | null;
            /**
             * @description Let people watch sessions over HLS, as many as like to, by the link `hls_url` of the session. An addition of this server.
             * @default false
             * @example false
             */
            enable_hls?: boolean | null;
            /**
             * @description Draw the names of members onto their tiles, so that recordings, streams and previews show them too. An addition of this server.
             * @default false
             * @example false
             */
            name_labels?: boolean | null;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @default false
             * @example false
             */
            waiting_room?: boolean | null;
            /**
             * @description Its recordings are deleted so many days after they were finished; 0 keeps them for ever, and null leaves it to the rule of the project. An addition of this server.
             * @example 90
             */
            recording_retention_days?: number | null;
            /**
             * @description Anything you want to keep with the room.
             * @example {
             *       "customer": 42
             *     }
             */
            meta?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Members at one time: small takes 10, medium 50, large 300.
             * @default medium
             * @example medium
             * @enum {string|null}
             */
            size?: "small" | "medium" | "large" | null;
            /**
             * @description Participants can write to each other.
             * @default true
             * @example true
             */
            enable_chat?: boolean | null;
            /**
             * @description Everybody who knows the name can read title, description, colours, times and state, without a link. An addition of this server.
             * @default false
             * @example false
             */
            public_look?: boolean | null;
            /**
             * @description Colour of the dark theme: main buttons and selected items.
             * @default #044EF4
             * @example #044EF4
             */
            dark_primary?: string | null;
            /**
             * @description Colour of the dark theme: main background.
             * @default #FFFFFF
             * @example #FFFFFF
             */
            dark_background?: string | null;
            /**
             * @description Colour of the dark theme: text on the main background.
             * @default #1D2127
             * @example #1D2127
             */
            dark_foreground?: string | null;
            /**
             * @description Colour of the dark theme: what went well.
             * @default #17BB58
             * @example #17BB58
             */
            dark_success?: string | null;
            /**
             * @description Colour of the dark theme: what went wrong.
             * @default #F42C50
             * @example #F42C50
             */
            dark_negative?: string | null;
            /**
             * @description Colour of the light theme: main buttons and selected items.
             * @default #044EF4
             * @example #044EF4
             */
            light_primary?: string | null;
            /**
             * @description Colour of the light theme: main background.
             * @default #FFFFFF
             * @example #FFFFFF
             */
            light_background?: string | null;
            /**
             * @description Colour of the light theme: text on the main background.
             * @default #1D2127
             * @example #1D2127
             */
            light_foreground?: string | null;
            /**
             * @description Colour of the light theme: what went well.
             * @default #17BB58
             * @example #17BB58
             */
            light_success?: string | null;
            /**
             * @description Colour of the light theme: what went wrong.
             * @default #F42C50
             * @example #F42C50
             */
            light_negative?: string | null;
        };
        /**
         * CreateGuestToken
         * @description What a guest may see.
         */
        CreateGuestToken: {
            /**
             * @description The addresses the guest may see, 10 at most.
             * @example [
             *       "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11"
             *     ]
             */
            allowed_addresses: string[];
            /**
             * @description When the token expires, in Unix seconds.
             * @example 1893456000
             */
            expire_at?: number | null;
        };
        /**
         * CreateRoom
         * @description A new room.
         */
        CreateRoom: {
            /**
             * @description Unique within the project.
             * @example standup
             */
            name: string;
            /**
             * @description Title for people; the name unless given.
             * @example Daily stand-up
             */
            display_name?: string | null;
            /**
             * @description What the room is for.
             * @example Fifteen minutes, every morning.
             */
            description?: string | null;
            /**
             * @description Members at one time, audience aside.
             * @default 20
             * @example 20
             */
            max_members?: number | null;
            /**
             * @description Height of the composed picture: 720p or 1080p.
             * @default 720p
             * @example 720p
             * @enum {string|null}
             */
            quality?: "720p" | "1080p" | null;
            /**
             * Format: date-or-date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             * @example 2030-01-31
             */
            join_from?: string | null;
            /**
             * Format: date-or-date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until?: string | null;
            /**
             * Format: date-or-date-time
             * @description Everybody is removed at this time.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at?: string | null;
            /**
             * @description Each member is removed after so many seconds.
             * @example 3600
             */
            remove_after_seconds_elapsed?: number | null;
            /**
             * @description Layout that sessions start with.
             * @default grid-responsive
             * @example grid-responsive
             * @enum {string|null}
             */
            layout?: "grid-responsive" | "grid-responsive-mobile" | "highlight-1-responsive" | "1x1" | "2x1" | "2x2" | "5up" | "3x3" | "4x4" | "5x5" | "6x6" | "8x8" | "10x10" | null;
            /**
             * @description Start a recording when a session starts.
             * @default false
             * @example false
             */
            record_on_start?: boolean | null;
            /**
             * @description Play a tone when somebody enters or leaves.
             * @default false
             * @example false
             */
            tone_on_entry_and_exit?: boolean | null;
            /**
             * @description Members join with their video off, by setting of the room.
             * @default false
             * @example false
             */
            room_join_video_off?: boolean | null;
            /**
             * @description Members join with their video off, by setting of the user.
             * @default false
             * @example false
             */
            user_join_video_off?: boolean | null;
            /**
             * @description Make a small preview video of what goes on in the room.
             * @default false
             * @example false
             */
            enable_room_previews?: boolean | null;
            /**
             * @description Let people watch sessions over HLS, as many as like to, by the link `hls_url` of the session. An addition of this server.
             * @default false
             * @example false
             */
            enable_hls?: boolean | null;
            /**
             * @description Keep audio and video in step, at the price of some delay.
             * @example true
             */
            sync_audio_video?: boolean | null;
            /**
             * @description Members who raise their hand come first in the layout.
             * @default false
             * @example false
             */
            prioritize_handraise?: boolean | null;
            /**
             * @description Draw the names of members onto their tiles, so that recordings, streams and previews show them too. An addition of this server.
             * @default false
             * @example false
             */
            name_labels?: boolean | null;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @default false
             * @example false
             */
            waiting_room?: boolean | null;
            /**
             * @description Its recordings are deleted so many days after they were finished; 0 keeps them for ever, and null leaves it to the rule of the project. An addition of this server.
             * @example 90
             */
            recording_retention_days?: number | null;
            /**
             * @description Anything you want to keep with the room.
             * @example {
             *       "customer": 42
             *     }
             */
            meta?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * CreateRoomToken
         * @description What one user may do in one room.
         */
        CreateRoomToken: {
            /**
             * @description The room it lets into; it need not exist yet.
             * @example standup
             */
            room_name: string;
            /**
             * @description Name of the user; a random one at each connect unless given.
             * @example Ada
             */
            user_name?: string | null;
            /**
             * @description What the user may do. An audience has no permissions, whatever stands here.
             * @default [
             *       "room.self.audio_mute",
             *       "room.self.audio_unmute",
             *       "room.self.video_mute",
             *       "room.self.video_unmute",
             *       "room.self.deaf",
             *       "room.self.undeaf",
             *       "room.self.set_input_volume",
             *       "room.self.set_output_volume",
             *       "room.self.set_input_sensitivity",
             *       "room.self.screenshare",
             *       "room.self.additional_source"
             *     ]
             * @example [
             *       "room.self.audio_mute",
             *       "room.self.audio_unmute",
             *       "room.self.video_mute",
             *       "room.self.video_unmute",
             *       "room.self.deaf",
             *       "room.self.undeaf",
             *       "room.self.set_input_volume",
             *       "room.self.set_output_volume",
             *       "room.self.set_input_sensitivity",
             *       "room.self.screenshare",
             *       "room.self.additional_source"
             *     ]
             */
            permissions?: ("room.hide_video_muted" | "room.show_video_muted" | "room.list_available_layouts" | "room.lock" | "room.unlock" | "room.playback" | "room.playback_seek" | "room.prioritize_handraise" | "room.recording" | "room.set_layout" | "room.set_position" | "room.set_meta" | "room.stream" | "room.stream.start" | "room.member.audio_mute" | "room.member.audio_unmute" | "room.member.deaf" | "room.member.undeaf" | "room.member.demote" | "room.member.promote" | "room.member.raisehand" | "room.member.lowerhand" | "room.member.remove" | "room.member.set_input_sensitivity" | "room.member.set_input_volume" | "room.member.set_output_volume" | "room.member.set_position" | "room.member.set_meta" | "room.member.video_mute" | "room.member.video_unmute" | "room.self.additional_source" | "room.self.audio_mute" | "room.self.audio_unmute" | "room.self.deaf" | "room.self.undeaf" | "room.self.raisehand" | "room.self.lowerhand" | "room.self.screenshare" | "room.self.set_input_sensitivity" | "room.self.set_input_volume" | "room.self.set_output_volume" | "room.self.set_position" | "room.self.set_meta" | "room.self.video_mute" | "room.self.video_unmute")[] | null;
            /**
             * Format: date-or-date-time
             * @description The user cannot join before.
             * @example 2030-01-31T09:30:00Z
             * @example 2030-01-31
             */
            join_from?: string | null;
            /**
             * Format: date-or-date-time
             * @description The user cannot join after.
             * @example 2030-01-31T10:30:00Z
             */
            join_until?: string | null;
            /**
             * Format: date-or-date-time
             * @description The user is removed at this time.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at?: string | null;
            /**
             * @description The user is removed after so many seconds.
             * @example 3600
             */
            remove_after_seconds_elapsed?: number | null;
            /**
             * @description Join with the microphone muted.
             * @default false
             * @example false
             */
            join_audio_muted?: boolean | null;
            /**
             * @description Join with the camera off.
             * @default false
             * @example false
             */
            join_video_muted?: boolean | null;
            /**
             * @description Create the room on join if it is not there.
             * @default true
             * @example true
             */
            auto_create_room?: boolean | null;
            /**
             * @description For the room that the join creates: make previews.
             * @default false
             * @example false
             */
            enable_room_previews?: boolean | null;
            /**
             * @description For the room that the join creates: title for people.
             * @example Daily stand-up
             */
            room_display_name?: string | null;
            /**
             * @description The session ends when the user leaves.
             * @default false
             * @example false
             */
            end_room_session_on_leave?: boolean | null;
            /**
             * @description An audience sees and hears, and cannot be seen or heard.
             * @default member
             * @example member
             * @enum {string|null}
             */
            join_as?: "member" | "audience" | null;
            /**
             * @description What the user may receive.
             * @default all
             * @example all
             * @enum {string|null}
             */
            media_allowed?: "all" | "audio-only" | "video-only" | null;
            /**
             * @description For the room that the join creates: its `meta`.
             * @example {
             *       "customer": 42
             *     }
             */
            room_meta?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Anything you want to keep with the member.
             * @example {
             *       "customer": 42
             *     }
             */
            meta?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description For the room that the join creates: keep audio and video in step.
             * @default false
             * @example false
             */
            sync_audio_video?: boolean | null;
        };
        /**
         * CreateSubscriberToken
         * @description Whom the tokens are for.
         */
        CreateSubscriberToken: {
            /**
             * @description How your system calls the user. A subscriber is made at the first use.
             * @example ada@example.org
             */
            reference: string;
            /**
             * @description When the token expires, in Unix seconds.
             * @example 1893456000
             */
            expire_at?: number | null;
        };
        /**
         * CreateUser
         * @description Whom to add.
         */
        CreateUser: {
            /**
             * @description Name to sign in with, such as an e-mail address.
             * @example ada@example.org
             */
            name: string;
            /**
             * @description `owner`: everything, with users and API tokens. `operator`: runs rooms, conferences, recordings and streams. `viewer`: sees what is there.
             * @example operator
             * @enum {string}
             */
            role: "owner" | "operator" | "viewer";
        };
        /**
         * CreateWebhook
         * @description A new webhook.
         */
        CreateWebhook: {
            /**
             * @description HTTPS address to which the events are sent. It may not lead into a private network, nor hold a user name or password.
             * @example https://hooks.example.com/parley
             */
            url: string;
            /**
             * @description What it is for, in your words.
             * @default
             * @example Billing
             */
            description?: string | null;
            /**
             * @description Events that are sent: by name, or by group such as `member.*`. Null sends all.
             * @example [
             *       "room.*",
             *       "recording.completed"
             *     ]
             */
            events?: ("room.*" | "member.*" | "layout.*" | "position.*" | "recording.*" | "stream.*" | "playback.*" | "project.*" | "history.*" | "room.started" | "room.ended" | "room.updated" | "member.joined" | "member.promoted" | "member.demoted" | "member.updated" | "member.lost" | "member.back" | "member.left" | "layout.changed" | "position.requested" | "recording.started" | "recording.paused" | "recording.resumed" | "recording.ended" | "recording.completed" | "recording.failed" | "recording.expired" | "recording.lost" | "recording.quota" | "recording.refused" | "stream.started" | "stream.interrupted" | "stream.resumed" | "stream.ended" | "playback.started" | "playback.paused" | "playback.resumed" | "playback.updated" | "playback.ended" | "project.acted" | "history.mended")[] | null;
            /**
             * @description Whether events are sent. What happens while it is false is never sent; what waited before stays, and is sent once it is true again.
             * @default true
             * @example true
             */
            enabled?: boolean | null;
        };
        /**
         * Drain
         * @description Whether the server is being emptied, for a restart without an interruption.
         */
        Drain: {
            /**
             * @description Whether no new session begins.
             * @example false
             */
            draining: boolean;
            /**
             * @description Sessions that still run, of all projects.
             * @example 2
             */
            sessions: number;
        };
        /**
         * Embedding
         * @description Who may embed.
         */
        Embedding: {
            /**
             * @description Origins of pages that may embed: scheme, host, and the port unless it is the usual one. `*.` before the host means all hosts below it. Only `localhost` may do without HTTPS.
             * @example [
             *       "https://shop.example",
             *       "https://*.shop.example"
             *     ]
             */
            origins: string[];
        };
        /**
         * Error
         * @description One thing that is wrong.
         */
        Error: {
            /**
             * @description Kind of error, such as `validation_error`.
             * @example validation_error
             */
            type: string;
            /**
             * @description What is wrong, for programs; one of the codes of the error page.
             * @example invalid_parameter
             */
            code: string;
            /**
             * @description What is wrong, for people.
             * @example The value must be 300 or less.
             */
            message: string;
            /**
             * @description The parameter at fault, if one is.
             * @example max_members
             */
            attribute: string | null;
            /**
             * @description Where the code is explained.
             * @example https://meet.example.org/errors#invalid_parameter
             */
            url: string;
        };
        /**
         * Errors
         * @description Everything that is wrong with the request, one entry for each field at fault.
         */
        Errors: {
            /** @description One entry for each thing. */
            errors: components["schemas"]["Error"][];
        };
        /**
         * Event
         * @description One entry of the history of a session or a recording.
         */
        Event: {
            /**
             * Format: uuid
             * @description Id of the event.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description The project it happened in.
             * @example 6f1f2c9e-5a60-4c8e-9d0e-2b6a54a9a001
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The room it is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_id: string | null;
            /**
             * Format: uuid
             * @description The session it is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_session_id: string | null;
            /**
             * Format: uuid
             * @description The recording it is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_recording_id: string | null;
            /**
             * Format: uuid
             * @description The member it is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_participant_id: string | null;
            /**
             * @description How serious it is.
             * @example info
             * @enum {string}
             */
            level: "info" | "warning" | "error";
            /**
             * @description What happened.
             *
             *     - `room.started`: The session has begun. `payload`: `room_name`, `room_session_id`.
             *     - `room.ended`: The session is over. `ended_at` is there when the server was interrupted and noted the end later. `payload`: `reason`, `duration_ms`, `ended_at`, `detail`, `member_id`, `member_name`, `node`.
             *     - `room.updated`: Settings of the session changed. `changed` has the new values, of all changes within a second together. `payload`: `changed`.
             *     - `member.joined`: Somebody came in, or began to share a screen or device. `payload`: `member_id`, `name`, `type`, `parent_id`.
             *     - `member.promoted`: Somebody of the audience became a member. `by` is the id of the member who asked for it; null for a back end. `payload`: `member_id`, `name`, `type`, `parent_id`, `by`, `permissions`, `media_allowed`.
             *     - `member.demoted`: A member went to the audience. `by` is the id of the member who asked for it; null for a back end. `payload`: `member_id`, `name`, `type`, `parent_id`, `by`, `permissions`, `media_allowed`.
             *     - `member.updated`: Settings of somebody changed. `changed` has the new values, of all changes within a second together. `payload`: `member_id`, `name`, `type`, `parent_id`, `changed`.
             *     - `member.lost`: The connection of a member broke: its socket or its media. Its seat is kept for a while. `payload`: `member_id`, `name`, `type`, `parent_id`.
             *     - `member.back`: The connection of a member is whole again. `payload`: `member_id`, `name`, `type`, `parent_id`.
             *     - `member.left`: Somebody is gone. `payload`: `member_id`, `name`, `type`, `parent_id`, `reason`, `duration_ms`.
             *     - `layout.changed`: Somebody set another layout, or it came back. `payload`: `layout_name`.
             *     - `position.requested`: A place in the layout was requested for a member or a file, or is not requested any more (`auto`). `payload`: `id`, `position`.
             *     - `recording.started`: The first picture is in the file. `payload`: `recording_id`.
             *     - `recording.paused`: Nothing is recorded until it is resumed. `payload`: `recording_id`.
             *     - `recording.resumed`: The recording goes on. `payload`: `recording_id`.
             *     - `recording.ended`: No more is recorded. `reason` is there when nobody asked for the end. `payload`: `recording_id`, `reason`.
             *     - `recording.completed`: The file can be played. `payload`: `recording_id`, `duration_ms`, `size_in_bytes`, `reason`.
             *     - `recording.failed`: Nothing of the recording can be played. `payload`: `recording_id`, `duration_ms`, `size_in_bytes`, `reason`.
             *     - `recording.expired`: It was deleted, because it was older than the `days` for which its room or project keeps recordings. `payload`: `recording_id`, `days`.
             *     - `recording.lost`: The store of objects has lost its file. `payload`: `recording_id`.
             *     - `recording.quota`: The recordings of the project have come to so many percent of what they may take: 80, or 100, from when on none is started. `payload`: `recording_id`, `percent`, `used_in_bytes`, `quota_in_bytes`.
             *     - `recording.refused`: The disk had no room for a recording or takes no files, or the quota of the project is used up. `payload`: `reason`.
             *     - `stream.started`: The server of a stream took it. `payload`: `stream_id`.
             *     - `stream.interrupted`: A stream lost its server, and tries again. `payload`: `stream_id`, `reason`.
             *     - `stream.resumed`: The server of a stream took it again. `payload`: `stream_id`.
             *     - `stream.ended`: A stream was stopped. `payload`: `stream_id`.
             *     - `playback.started`: A file or a live transmission is played into the room. `payload`: `playback_id`, `position_ms`.
             *     - `playback.paused`: A playback stands still until it is resumed. `payload`: `playback_id`, `position_ms`.
             *     - `playback.resumed`: A playback goes on. `payload`: `playback_id`, `position_ms`.
             *     - `playback.updated`: A playback has another volume, or goes on from another position. `payload`: `playback_id`, `position_ms`, `volume`.
             *     - `playback.ended`: A playback is over: it was `stopped`, is `finished`, its source is `lost`, or the `session_ended`. `payload`: `playback_id`, `position_ms`, `reason`.
             *     - `project.acted`: A back end of the project called a method of the session. `method` is its name in the client protocol. `payload`: `method`, `member_id`, `api_token_id`.
             *     - `history.mended`: Stored and running state differed, and what is stored was corrected. `payload`: `what`, `id`.
             * @example room.started
             * @enum {string}
             */
            name: "room.started" | "room.ended" | "room.updated" | "member.joined" | "member.promoted" | "member.demoted" | "member.updated" | "member.lost" | "member.back" | "member.left" | "layout.changed" | "position.requested" | "recording.started" | "recording.paused" | "recording.resumed" | "recording.ended" | "recording.completed" | "recording.failed" | "recording.expired" | "recording.lost" | "recording.quota" | "recording.refused" | "stream.started" | "stream.interrupted" | "stream.resumed" | "stream.ended" | "playback.started" | "playback.paused" | "playback.resumed" | "playback.updated" | "playback.ended" | "project.acted" | "history.mended";
            /**
             * @description Details.
             * @example {
             *       "reason": "left"
             *     }
             */
            payload: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
        };
        /**
         * EventPage
         * @description One page of a list.
         */
        EventPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["Event"][];
        };
        /**
         * Finding
         * @description Result of an examination.
         */
        Finding: {
            /**
             * @description How bad it is.
             * @example ok
             * @enum {string}
             */
            status: "ok" | "warning" | "failed";
            /**
             * @description What was examined.
             * @example Disk space
             */
            subject: string;
            /**
             * @description What was found.
             * @example 250.0 GB free
             */
            detail: string;
            /**
             * @description What to do about it; null if all is well.
             * @example Make room.
             */
            advice: string | null;
        };
        /**
         * FoundRecording
         * @description A recording, with its room and a picture.
         */
        FoundRecording: {
            /**
             * Format: uuid
             * @description Id of the recording.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: uuid
             * @description The session it was made in.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_session_id: string;
            /**
             * @description How far it is.
             * @example recording
             * @enum {string|null}
             */
            status: "recording" | "paused" | "processing" | "completed" | null;
            /**
             * Format: date-time
             * @description When its first frame was written.
             * @example 2030-01-31T09:30:00Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When its last frame was written.
             * @example 2030-01-31T09:30:00Z
             */
            finished_at: string | null;
            /**
             * @description Seconds of media, pauses left out.
             * @example 734
             */
            duration: number | null;
            /**
             * @description Size of the file.
             * @example 8123456
             */
            size_in_bytes: number | null;
            /**
             * @description MIME type of the file.
             * @example video/mp4
             */
            format: string | null;
            /**
             * @description By the price list of the server.
             * @example 0.024
             */
            cost_in_dollars: number;
            /**
             * @description Link to the media, for a while; null until it is completed.
             * @example https://meet.example.org/media/9d3f2c50/recordings/0c8f1c2b.mp4?expires=1896082200&signature=c2lnbmF0dXJl
             */
            uri: string | null;
            /**
             * Format: date-time
             * @description When the recording was asked for.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it changed last.
             * @example 2030-01-31T09:30:00Z
             */
            updated_at: string;
            /**
             * @description Name of the room.
             * @example board
             */
            room_name: string;
            /**
             * @description Link to one picture of it, for a while; null where nothing can be played. It answers 404 where no picture can be made.
             * @example https://meet.example.org/media/9d3f2c50/posters/0c8f1c2b.webp?expires=1896082200
             */
            poster_uri: string | null;
        };
        /**
         * FoundRecordingPage
         * @description One page of a list.
         */
        FoundRecordingPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["FoundRecording"][];
        };
        /**
         * FoundRoom
         * @description A room or conference in a list.
         */
        FoundRoom: {
            /**
             * Format: uuid
             * @description Id of the room or conference.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Its name.
             * @example town-hall
             */
            name: string;
            /**
             * @description Its title for people.
             * @example Town hall
             */
            display_name: string | null;
            /**
             * Format: date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             */
            join_from: string | null;
            /**
             * Format: date-time
             * @description Nobody can join after.
             * @example 2030-01-31T09:30:00Z
             */
            join_until: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Id of the session in progress; null without one.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            active_session_id: string | null;
        };
        /**
         * FoundRoomPage
         * @description One page of a list.
         */
        FoundRoomPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["FoundRoom"][];
        };
        /**
         * FoundSession
         * @description A running or finished instance of a room.
         */
        FoundSession: {
            /**
             * Format: uuid
             * @description Id of the session.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Name of the room.
             * @example board
             */
            name: string;
            /**
             * @description Whether it is still going on.
             * @example completed
             * @enum {string}
             */
            status: "in-progress" | "completed";
            /**
             * Format: date-time
             * @description When it began.
             * @example 2030-01-31T09:30:00Z
             */
            start_time: string;
            /**
             * Format: date-time
             * @description When it ended; null while it is in progress.
             * @example 2030-01-31T09:30:00Z
             */
            end_time: string | null;
            /**
             * @description How often somebody joined, audience included.
             * @example 4
             */
            people: number;
            /**
             * @description Recordings that were made in it.
             * @example 1
             */
            recordings: number;
            /**
             * @description What its members cost.
             * @example 0.024
             */
            cost_in_dollars: number;
        };
        /**
         * FoundSessionPage
         * @description One page of a list.
         */
        FoundSessionPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["FoundSession"][];
        };
        /**
         * FreshApiToken
         * @description A new API token.
         */
        FreshApiToken: {
            /**
             * Format: uuid
             * @description Id of the token.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description What the token is for, in your words.
             * @example Back end
             */
            name: string;
            /**
             * @description What the token may be used for, in the order of the alphabet. `management` decides about users and API tokens.
             * @example [
             *       "video"
             *     ]
             */
            scopes: ("calling" | "chat" | "fax" | "management" | "messaging" | "numbers" | "pubsub" | "storage" | "tasking" | "video")[];
            /**
             * Format: date-time
             * @description When it was used last, to the minute; null for never.
             * @example 2030-01-31T09:30:00Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * @description The token itself. It is shown only now: its hash alone is kept.
             * @example PT0123456789abcdef0123456789abcdef0123456789abcdef
             */
            token: string;
        };
        /**
         * FreshRecordingShare
         * @description A new link, with its address.
         */
        FreshRecordingShare: {
            /**
             * Format: uuid
             * @description Id of the link.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: date-time
             * @description Until when it works.
             * @example 2030-01-31T09:30:00Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * @description The link. It is shown only now.
             * @example https://meet.example.org/media/shared/recording.mp4?key=6c62e4a9f0d1b35a
             */
            uri: string;
        };
        /**
         * FreshWebhook
         * @description A webhook with its new secret.
         */
        FreshWebhook: {
            /**
             * Format: uuid
             * @description Id of the webhook.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description HTTPS address to which the events are sent. It may not lead into a private network, nor hold a user name or password.
             * @example https://hooks.example.com/parley
             */
            url: string;
            /**
             * @description What it is for, in your words.
             * @example Billing
             */
            description: string;
            /**
             * @description Events that are sent: by name, or by group such as `member.*`. Null sends all.
             * @example [
             *       "room.*",
             *       "recording.completed"
             *     ]
             */
            events: string[] | null;
            /**
             * @description Whether events are sent. What happens while it is false is never sent; what waited before stays, and is sent once it is true again.
             * @example true
             */
            enabled: boolean;
            /**
             * @description Why it is not enabled: somebody `asked` for it, the receiver answered 410 (`gone`), or every attempt failed for days (`failing`). Null while it is enabled.
             * @example gone
             * @enum {string|null}
             */
            disabled_reason: "asked" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Since when every attempt has failed; null while attempts succeed.
             * @example 2030-01-31T09:30:00Z
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description Until when messages are also signed with the secret before the last rotation; null without one.
             * @example 2030-01-31T09:30:00Z
             */
            previous_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2030-01-31T09:30:00Z
             */
            updated_at: string;
            /**
             * @description The secret that signs its messages. It is shown only now.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret: string;
        };
        /**
         * GuestToken
         * @description A guest token.
         */
        GuestToken: {
            /**
             * @description The credential of the guest (Bearer).
             * @example eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl
             */
            token: string;
        };
        /**
         * Invitation
         * @description What a conference token invites to, for the page on which people join.
         */
        Invitation: {
            /**
             * @description Unique among the rooms and conferences of the project.
             * @example town-hall
             */
            name: string;
            /**
             * @description Title for people.
             * @example Town hall
             */
            display_name: string | null;
            /**
             * @description What the conference is for.
             * @example Everybody, once a quarter.
             */
            description: string | null;
            /**
             * Format: date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             */
            join_from: string | null;
            /**
             * Format: date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until: string | null;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @example true
             */
            waiting_room: boolean;
            /**
             * @description Members at one time: small takes 10, medium 50, large 300.
             * @default medium
             * @example medium
             * @enum {string}
             */
            size: "small" | "medium" | "large";
            /**
             * @description Participants can write to each other.
             * @example true
             */
            enable_chat: boolean;
            /**
             * @description Colour of the dark theme: main buttons and selected items.
             * @example #044EF4
             */
            dark_primary: string;
            /**
             * @description Colour of the dark theme: main background.
             * @example #FFFFFF
             */
            dark_background: string;
            /**
             * @description Colour of the dark theme: text on the main background.
             * @example #1D2127
             */
            dark_foreground: string;
            /**
             * @description Colour of the dark theme: what went well.
             * @example #17BB58
             */
            dark_success: string;
            /**
             * @description Colour of the dark theme: what went wrong.
             * @example #F42C50
             */
            dark_negative: string;
            /**
             * @description Colour of the light theme: main buttons and selected items.
             * @example #044EF4
             */
            light_primary: string;
            /**
             * @description Colour of the light theme: main background.
             * @example #FFFFFF
             */
            light_background: string;
            /**
             * @description Colour of the light theme: text on the main background.
             * @example #1D2127
             */
            light_foreground: string;
            /**
             * @description Colour of the light theme: what went well.
             * @example #17BB58
             */
            light_success: string;
            /**
             * @description Colour of the light theme: what went wrong.
             * @example #F42C50
             */
            light_negative: string;
            /**
             * @description Whether one can join now: `open`; `early`, before `join_from`; `over`, after `join_until`; `full` or `locked`, which may pass.
             * @example open
             * @enum {string}
             */
            state: "open" | "early" | "over" | "full" | "locked";
            /**
             * Format: date-or-date-time
             * @description Time of the server, for countdowns to `join_from`.
             * @example 2030-01-31T09:30:00Z
             * @example 2030-01-31
             */
            now: string;
            /**
             * @description Name of the token: `moderator` or `guest`.
             * @example guest
             */
            role: string;
        };
        /**
         * InvitedUser
         * @description A user with a one-time link.
         */
        InvitedUser: {
            /**
             * Format: uuid
             * @description Id of the user.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Name of the user, unique within the project in any case of its letters.
             * @example ada@example.org
             */
            name: string;
            /**
             * @description Role of the user.
             * @example operator
             * @enum {string}
             */
            role: "owner" | "operator" | "viewer";
            /**
             * @description How the user signs in: with a `password`; by the OpenID provider of this server (`openid`); not yet, because the one-time link was not used (`invited`).
             * @example password
             * @enum {string}
             */
            signs_in_with: "invited" | "password" | "openid";
            /**
             * Format: date-time
             * @description When the user signed in last; null for never.
             * @example 2030-01-31T09:30:00Z
             */
            last_sign_in_at: string | null;
            /**
             * Format: date-time
             * @description When the user was added.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * @description One-time link by which the user chooses a password. It is shown only now.
             * @example https://meet.example.org/sign-in#invitation=k2n1Vw0mB3qk7H3bqU0T6o5c8fYz1l2QmJr4xSgA9dE
             */
            link: string;
            /**
             * Format: date-time
             * @description When the link stops working.
             * @example 2030-01-31T09:30:00Z
             */
            link_expires_at: string;
        };
        /**
         * KeptBackup
         * @description A complete backup.
         */
        KeptBackup: {
            /**
             * @description Name of its folder.
             * @example 2030-01-31T09-30-00Z
             */
            name: string;
            /**
             * Format: date-time
             * @description The moment that it is of.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * @description Its size.
             * @example 52428800
             */
            bytes: number;
            /**
             * @description Version of the server that made it.
             * @example 0.2.0
             */
            version: string;
        };
        /**
         * ListedRoomSession
         * @description A running or finished instance of a room.
         */
        ListedRoomSession: {
            /**
             * Format: uuid
             * @description Id of the session.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: uuid
             * @description The room it was started from.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_id: string | null;
            /**
             * @description Name of the room.
             * @example standup
             */
            name: string | null;
            /**
             * @description Title for people; the name unless given.
             * @example Daily stand-up
             */
            display_name: string | null;
            /**
             * @description Members at one time, audience aside.
             * @example 20
             */
            max_members: number | null;
            /**
             * @description Height of the composed picture: 720p or 1080p.
             * @example 720p
             */
            quality: string | null;
            /**
             * @description Frames per second of the composed picture: 20 or 30.
             * @example 20
             */
            fps: number | null;
            /**
             * Format: date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             */
            join_from: string | null;
            /**
             * Format: date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until: string | null;
            /**
             * Format: date-time
             * @description Everybody is removed at this time.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at: string | null;
            /**
             * @description Each member is removed after so many seconds.
             * @example 3600
             */
            remove_after_seconds_elapsed: number | null;
            /**
             * @description Layout that sessions start with.
             * @example grid-responsive
             */
            layout: string | null;
            /**
             * @description Start a recording when a session starts.
             * @example true
             */
            record_on_start: boolean;
            /**
             * @description Play a tone when somebody enters or leaves.
             * @example true
             */
            tone_on_entry_and_exit: boolean;
            /**
             * @description Members join with their video off, by setting of the room.
             * @example true
             */
            room_join_video_off: boolean;
            /**
             * @description Members join with their video off, by setting of the user.
             * @example true
             */
            user_join_video_off: boolean;
            /**
             * @description Let people watch sessions over HLS, as many as like to, by the link `hls_url` of the session. An addition of this server.
             * @example true
             */
            enable_hls: boolean;
            /**
             * @description Keep audio and video in step, at the price of some delay.
             * @example true
             */
            sync_audio_video: boolean | null;
            /**
             * @description Members who raise their hand come first in the layout.
             * @example true
             */
            prioritize_handraise: boolean | null;
            /**
             * @description Draw the names of members onto their tiles, so that recordings, streams and previews show them too. An addition of this server.
             * @example true
             */
            name_labels: boolean;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @example true
             */
            waiting_room: boolean;
            /**
             * Format: date-time
             * @description When the first member joined.
             * @example 2030-01-31T09:30:00Z
             */
            start_time: string | null;
            /**
             * Format: date-time
             * @description When it ended; null while it is in progress.
             * @example 2030-01-31T09:42:14Z
             */
            end_time: string | null;
            /**
             * @description Seconds from start to end, or until now while it is in progress.
             * @example 734
             */
            duration: number | null;
            /**
             * @description Whether it is still going on.
             * @example in-progress
             * @enum {string|null}
             */
            status: "in-progress" | "completed" | null;
            /**
             * @description Preview video, while it is in progress and previews are enabled: four seconds without sound, 320x180, in MP4, made anew every 20 seconds. Whoever has the link may follow it; 404 until the first is complete and once the session has ended.
             * @example https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8
             */
            preview_url: string | null;
            /**
             * @description Playlist of low-latency HLS, while it is in progress and HLS is enabled. Whoever has the link may watch; 404 until there is something to watch. An addition of this server.
             * @example https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/hls/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112/mN3xkUq8/index.m3u8
             */
            hls_url: string | null;
            /**
             * @description Nobody else can join.
             * @example true
             */
            locked: boolean;
            /**
             * Format: date-time
             * @description When it was stored first.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it changed last.
             * @example 2030-01-31T09:30:00Z
             */
            updated_at: string;
            /**
             * @description Make a small preview video of what goes on in the room.
             * @example true
             */
            enable_room_previews: boolean;
            /**
             * @description What its members cost, by the price list of the server.
             * @example 0.024
             */
            cost_in_dollars: number;
            /**
             * @description Picture shown while it is locked.
             * @example https://example.org/locked.png
             */
            locked_cover: string | null;
        };
        /**
         * ListedRoomSessionPage
         * @description One page of a list.
         */
        ListedRoomSessionPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["ListedRoomSession"][];
        };
        /**
         * ListedStream
         * @description A stream, without the key of its destination.
         */
        ListedStream: {
            /**
             * Format: uuid
             * @description Id of the stream.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Whether it belongs to the room and starts with every session. Others end with their session.
             * @example true
             */
            kept: boolean;
            /**
             * Format: uuid
             * @description The room or the conference.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_id: string;
            /**
             * @description Its name.
             * @example board
             */
            room_name: string;
            /**
             * @description The session in progress; null without one.
             * @example null
             */
            room_session_id: string | null;
            /**
             * @description Where it goes, without the key; null for those who may only see what is there.
             * @example rtmps://live.example.com/app/…
             */
            destination: string | null;
            /**
             * @description An addition of this server. How the connection is: `waiting` for a session, `connecting` for the first time, `live`, or `retrying` every one to two seconds.
             * @example live
             * @enum {string}
             */
            status: "waiting" | "connecting" | "live" | "retrying";
            /**
             * Format: date-time
             * @description An addition of this server. Since when the destination takes the stream.
             * @example 2030-01-31T09:30:00Z
             */
            live_since: string | null;
            /**
             * Format: date-time
             * @description An addition of this server. Since when the stream does not run though it should.
             * @example 2030-01-31T09:30:00Z
             */
            retrying_since: string | null;
            /**
             * @description An addition of this server. Why the stream did not run at last: its address leads where streams may not go; no connection, or the destination did not take it; the destination closed the connection; it stopped reading.
             * @example null
             * @enum {string|null}
             */
            last_error: "address_refused" | "unreachable" | "closed" | "stalled" | null;
            /**
             * @description How often the connection was made again in this session.
             * @example 0
             */
            reconnects: number;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
        };
        /**
         * ListedStreamPage
         * @description One page of a list.
         */
        ListedStreamPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["ListedStream"][];
        };
        /**
         * LiveFigures
         * @description What happens in the project now, in numbers.
         */
        LiveFigures: {
            /**
             * @description Rooms with a session in progress.
             * @example 3
             */
            rooms: number;
            /**
             * @description People in rooms, without the audience, screen shares and devices.
             * @example 12
             */
            members: number;
            /**
             * @description People who watch.
             * @example 40
             */
            audience: number;
            /**
             * @description Recordings that are being made.
             * @example 1
             */
            recordings: number;
            /**
             * @description Streams that are being sent.
             * @example 1
             */
            streams: number;
        };
        /**
         * LiveMember
         * @description Somebody in a running room.
         */
        LiveMember: {
            /**
             * Format: uuid
             * @description Id of the member.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Name of the member.
             * @example Ada
             */
            name: string;
            /**
             * @description A person, or a screen share or additional device of one.
             * @example member
             * @enum {string}
             */
            type: "member" | "screen" | "device";
            /**
             * @description Whether nobody hears the member.
             * @example false
             */
            audio_muted: boolean;
            /**
             * @description Whether nobody sees the member.
             * @example false
             */
            video_muted: boolean;
            /**
             * @description Whether the hand is up.
             * @example false
             */
            hand_raised: boolean;
            /**
             * @description `connecting`: no media yet. `interrupted`: media came, and do not at the moment. `away`: the client is not connected, and its place is kept for a while.
             * @example connected
             * @enum {string}
             */
            connection: "connected" | "connecting" | "interrupted" | "away";
            /**
             * @description What the server measured in the last 10 seconds; null before.
             * @example null
             */
            quality: {
                /**
                 * @description Whether people notice the loss or the delay.
                 * @example good
                 * @enum {string}
                 */
                level: "good" | "fair" | "poor";
                /**
                 * @description Share of packets that the network lost, in the worse direction.
                 * @example 0.01
                 */
                loss: number;
                /**
                 * @description Round trip in milliseconds, if known.
                 * @example 40
                 */
                round_trip_ms: number | null;
            } | null;
        };
        /**
         * LiveRoom
         * @description A room with a session in progress.
         */
        LiveRoom: {
            /**
             * Format: uuid
             * @description Id of the session.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the room or conference.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_id: string;
            /**
             * @description Name of the room.
             * @example board
             */
            name: string;
            /**
             * @description The name that people see.
             * @example Board
             */
            display_name: string;
            /**
             * Format: date-time
             * @description When the session began.
             * @example 2030-01-31T09:30:00Z
             */
            start_time: string;
            /**
             * @description A video of a few seconds, made anew every 20 seconds; null where previews are off.
             * @example null
             */
            preview_url: string | null;
            /**
             * @description Whether nobody else may come in.
             * @example false
             */
            locked: boolean;
            /**
             * @description Name of the layout.
             * @example grid-responsive
             */
            layout: string;
            /**
             * @description Whether the room has a chat.
             * @example true
             */
            has_chat: boolean;
            /**
             * @description People in it, without audience, screen shares and devices.
             * @example 3
             */
            people: number;
            /** @description The first of those in it, in the order in which they came. No audience. */
            members: components["schemas"]["LiveMember"][];
            /**
             * @description People who watch.
             * @example 12
             */
            audience: number;
            /**
             * @description The recording; null without one.
             * @example null
             * @enum {string|null}
             */
            recording: "recording" | "paused" | null;
            /**
             * @description Streams that run or are tried again.
             * @example 1
             */
            streams: number;
        };
        /**
         * LiveRoomChanges
         * @description What changes for the rest of the session.
         */
        LiveRoomChanges: {
            /**
             * @description Whether nobody else may come in.
             * @example false
             */
            locked?: boolean;
            /**
             * @description Name of the layout.
             * @example 2x2
             * @enum {string}
             */
            layout?: "grid-responsive" | "grid-responsive-mobile" | "highlight-1-responsive" | "1x1" | "2x1" | "2x2" | "5up" | "3x3" | "4x4" | "5x5" | "6x6" | "8x8" | "10x10" | "full-screen" | "screen-share" | "presenter-dual-horizontal" | "1up-top-left5" | "1up-top-left7" | "1up-top-left9" | "1up-top-left16" | "1x1-2x1";
        };
        /**
         * LiveRooms
         * @description What runs now.
         */
        LiveRooms: {
            /**
             * @description Number of running rooms.
             * @example 1
             */
            total: number;
            /** @description The newest of them. */
            data: components["schemas"]["LiveRoom"][];
        };
        /**
         * LiveStreamResult
         * @description What became of a stream.
         */
        LiveStreamResult: {
            /**
             * @description Whether the destination took the stream. If not, it is not tried again.
             * @example taken
             * @enum {string}
             */
            outcome: "taken" | "unreachable";
        };
        /**
         * LiveStreamTarget
         * @description Where the session is sent to until it ends.
         */
        LiveStreamTarget: {
            /**
             * @description RTMP or RTMPS address that takes the stream. It may not lead into a private network.
             * @example rtmps://live.example.com/app/key
             */
            url: string;
        };
        /**
         * LogEntry
         * @description A line of the log of the server.
         */
        LogEntry: {
            /**
             * @description Its place in the log, counted from the start of the server.
             * @example 17
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was written; null if that was cut off.
             * @example 2030-01-31T09:30:00Z
             */
            time: string | null;
            /**
             * @description How severe it is.
             * @example warn
             * @enum {string}
             */
            level: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
            /**
             * @description Part of the server that wrote it; null for the server itself.
             * @example http
             */
            part: string | null;
            /**
             * @description What it says.
             * @example request failed
             */
            message: string;
            /**
             * @description Its other fields as JSON; null if there are none.
             * @example {"reqId":"req-1"}
             */
            details: string | null;
        };
        /**
         * LoggedRequest
         * @description A request to the API that was answered.
         */
        LoggedRequest: {
            /**
             * @description Its place in the log, counted from the first request.
             * @example 417
             */
            id: string;
            /**
             * @description What the answer had in `x-request-id`.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            request_id: string;
            /**
             * Format: date-time
             * @description When the request came.
             * @example 2030-01-31T09:30:00Z
             */
            time: string;
            /**
             * @description Its method.
             * @example POST
             */
            method: string;
            /**
             * @description Its path and query, up to 200 bytes. Of parameters that may carry a secret the value is replaced by `***`.
             * @example /api/video/rooms?page_size=50
             */
            path: string;
            /**
             * @description Status of the answer.
             * @example 201
             */
            status: number;
            /**
             * @description Time to the end of the answer, in milliseconds.
             * @example 4.2
             */
            duration_ms: number;
            /**
             * @description What it came with: an API token, the session of a user, or a token of an end user.
             * @example api-token
             * @enum {string}
             */
            credential_kind: "api-token" | "user" | "end-user";
            /**
             * @description Name of the API token or of the user; null for end users.
             * @example ci
             */
            credential_name: string | null;
            /**
             * @description Code of the error; null if it was not refused.
             * @example not_unique_within_project
             */
            error_code: string | null;
        };
        /**
         * LoggedRequestPage
         * @description One page of a list.
         */
        LoggedRequestPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["LoggedRequest"][];
        };
        /**
         * Me
         * @description Who the caller is.
         */
        Me: {
            /**
             * @description The project.
             * @example {
             *       "id": "5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42",
             *       "name": "First project"
             *     }
             */
            project: {
                /**
                 * @description Id of the project.
                 * @example 5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42
                 */
                id: string;
                /**
                 * @description Its name.
                 * @example First project
                 */
                name: string;
            };
            /**
             * @description The user who signed in; null for an API token.
             * @example {
             *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
             *       "name": "ada@example.org",
             *       "role": "operator",
             *       "has_password": true
             *     }
             */
            person: {
                /**
                 * Format: uuid
                 * @description Id of the user.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
                /**
                 * @description Name of the user.
                 * @example ada@example.org
                 */
                name: string;
                /**
                 * @description Role of the user in the project.
                 * @example operator
                 * @enum {string}
                 */
                role: "owner" | "operator" | "viewer";
                /**
                 * @description Whether the user signs in with a password.
                 * @example true
                 */
                has_password: boolean;
            } | null;
            /**
             * @description What the caller may do: see what is there (`read`); run rooms, conferences, recordings and streams (`operate`); decide about users and API tokens (`administer`).
             * @example [
             *       "read",
             *       "operate"
             *     ]
             */
            may: ("read" | "operate" | "administer")[];
            /**
             * @description For the header `X-CSRF-Token` of changes; null for an API token.
             * @example k2n1Vw0mB3qk7H3bqU0T6o5c8fYz1l2QmJr4xSgA9dE
             */
            csrf_token: string | null;
        };
        /**
         * MediaWorker
         * @description A media worker process.
         */
        MediaWorker: {
            /**
             * @description First UDP port that it may use.
             * @example 40000
             */
            first_port: number;
            /**
             * @description Last UDP port that it may use.
             * @example 40049
             */
            last_port: number;
            /**
             * @description `portless`: other programs have all of its ports, so it carries no room.
             * @example ready
             * @enum {string}
             */
            state: "starting" | "ready" | "portless";
            /**
             * @description Processors that it uses: 1 is one whole processor.
             * @example 0.4
             */
            cpu: number;
            /**
             * @description Longest delay of its work in the last second, in milliseconds.
             * @example 4
             */
            event_loop_delay_ms: number;
            /**
             * @description Rooms that it carries.
             * @example 2
             */
            rooms: number;
            /**
             * @description Peer connections that it carries.
             * @example 9
             */
            legs: number;
            /**
             * @description What it gives up because the machine has too much to do. Each step includes those before it.
             * @example none
             * @enum {string}
             */
            overload_step: "none" | "still-rooms" | "small-cameras" | "fast-encoding" | "fps-15" | "fps-10" | "no-rooms" | "no-audience";
        };
        /**
         * MediaWorkers
         * @description The media workers of the server, which all projects share.
         */
        MediaWorkers: {
            /** @description The media workers, in the order of their ports. */
            data: components["schemas"]["MediaWorker"][];
            /**
             * @description Processors of the machine.
             * @example 8
             */
            processors: number;
        };
        /**
         * MemberQuality
         * @description How the connection of a member was, one value for each interval, oldest first.
         */
        MemberQuality: {
            /**
             * Format: uuid
             * @description Id of the member.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            member_id: string;
            /**
             * Format: date-time
             * @description Begin of the first interval.
             * @example 2030-01-31T09:30:00Z
             */
            start_time: string;
            /**
             * @description Length of an interval in milliseconds. It doubles whenever a member stays long.
             * @example 10000
             */
            interval_ms: number;
            /**
             * @description Share of the time in which the member talked, 0 to 1.
             * @example [
             *       12,
             *       null,
             *       14.5
             *     ]
             */
            talking: (number | null)[];
            /**
             * @description Round trip between browser and server, in milliseconds.
             * @example [
             *       12,
             *       null,
             *       14.5
             *     ]
             */
            round_trip_ms: (number | null)[];
            /**
             * @description Interarrival jitter of what the browser sends, in milliseconds (RFC 3550).
             * @example [
             *       12,
             *       null,
             *       14.5
             *     ]
             */
            jitter_ms: (number | null)[];
            /**
             * @description Share of packets lost on the way to the server before any repair, 0 to 1.
             * @example [
             *       12,
             *       null,
             *       14.5
             *     ]
             */
            uplink_loss: (number | null)[];
            /**
             * @description Share of packets lost on the way to the browser, 0 to 1.
             * @example [
             *       12,
             *       null,
             *       14.5
             *     ]
             */
            downlink_loss: (number | null)[];
            /**
             * @description Media from the browser, in bits per second.
             * @example [
             *       12,
             *       null,
             *       14.5
             *     ]
             */
            uplink_bitrate: (number | null)[];
            /**
             * @description Media to the browser, in bits per second.
             * @example [
             *       12,
             *       null,
             *       14.5
             *     ]
             */
            downlink_bitrate: (number | null)[];
            /**
             * @description Pictures of the camera in a second.
             * @example [
             *       12,
             *       null,
             *       14.5
             *     ]
             */
            frame_rate: (number | null)[];
        };
        /**
         * Message
         * @description Something that was written in a conference or room.
         */
        Message: {
            /**
             * Format: uuid
             * @description Id of the message.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Name of the member who wrote it.
             * @example Ada
             */
            from: string;
            /**
             * @description Name of the conference or room.
             * @example standup
             */
            to: string;
            /**
             * @description What was written. What is no text is told as JSON.
             * @example Can you hear me?
             */
            body: string;
            /**
             * @description Messages are shown once they are delivered.
             * @example delivered
             * @enum {string}
             */
            status: "delivered";
            /**
             * @description Members write, the server never does.
             * @example inbound
             * @enum {string}
             */
            direction: "inbound";
            /**
             * @description The kind of message.
             * @example chat
             * @enum {string}
             */
            kind: "chat";
            /**
             * @description Always empty: messages have no attachments.
             * @example []
             */
            media: string[];
            /**
             * @description Always 1: messages are delivered whole.
             * @example 1
             */
            number_of_segments: number;
            /**
             * @description Always null.
             * @example null
             */
            error_code: string | null;
            /**
             * @description Always null.
             * @example null
             */
            error_message: string | null;
            /**
             * Format: date-time
             * @description When it was written.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Id of the project.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            project_id: string;
            /**
             * @description Always null.
             * @example null
             */
            status_callback_url: string | null;
            /**
             * @description Path of this message.
             * @example /api/messaging/messages/0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11
             */
            message_uri: string;
        };
        /**
         * MessagePage
         * @description One page of a list.
         */
        MessagePage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["Message"][];
        };
        /**
         * Mute
         * @description Whose microphone is turned off.
         */
        Mute: {
            /**
             * @description Whom; absent for everybody.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            member_id?: string;
        };
        /**
         * OldRecordings
         * @description What a rule would delete.
         */
        OldRecordings: {
            /**
             * @description Number of them.
             * @example 12
             */
            recordings: number;
            /**
             * @description Size of their files.
             * @example 81234560
             */
            bytes: number;
        };
        /**
         * PageLinks
         * @description Paths of other pages, relative to the server. Follow these rather than computing pages.
         */
        PageLinks: {
            /**
             * @description This page.
             * @example /api/video/rooms?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg
             */
            self: string;
            /**
             * @description The first page.
             * @example /api/video/rooms?page_number=0&page_size=50
             */
            first: string;
            /**
             * @description The next page; null on the last.
             * @example /api/video/rooms?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg
             */
            next: string | null;
            /**
             * @description The page before; null on the first.
             * @example /api/video/rooms?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ
             */
            prev: string | null;
        };
        /**
         * Problem
         * @description An event that is a warning or an error.
         */
        Problem: {
            /**
             * Format: uuid
             * @description Id of the event.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description The project it happened in.
             * @example 6f1f2c9e-5a60-4c8e-9d0e-2b6a54a9a001
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The room it is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_id: string | null;
            /**
             * Format: uuid
             * @description The session it is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_session_id: string | null;
            /**
             * Format: uuid
             * @description The recording it is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_recording_id: string | null;
            /**
             * Format: uuid
             * @description The member it is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_participant_id: string | null;
            /**
             * @description How serious it is.
             * @example info
             * @enum {string}
             */
            level: "info" | "warning" | "error";
            /**
             * @description What happened.
             *
             *     - `room.started`: The session has begun. `payload`: `room_name`, `room_session_id`.
             *     - `room.ended`: The session is over. `ended_at` is there when the server was interrupted and noted the end later. `payload`: `reason`, `duration_ms`, `ended_at`, `detail`, `member_id`, `member_name`, `node`.
             *     - `room.updated`: Settings of the session changed. `changed` has the new values, of all changes within a second together. `payload`: `changed`.
             *     - `member.joined`: Somebody came in, or began to share a screen or device. `payload`: `member_id`, `name`, `type`, `parent_id`.
             *     - `member.promoted`: Somebody of the audience became a member. `by` is the id of the member who asked for it; null for a back end. `payload`: `member_id`, `name`, `type`, `parent_id`, `by`, `permissions`, `media_allowed`.
             *     - `member.demoted`: A member went to the audience. `by` is the id of the member who asked for it; null for a back end. `payload`: `member_id`, `name`, `type`, `parent_id`, `by`, `permissions`, `media_allowed`.
             *     - `member.updated`: Settings of somebody changed. `changed` has the new values, of all changes within a second together. `payload`: `member_id`, `name`, `type`, `parent_id`, `changed`.
             *     - `member.lost`: The connection of a member broke: its socket or its media. Its seat is kept for a while. `payload`: `member_id`, `name`, `type`, `parent_id`.
             *     - `member.back`: The connection of a member is whole again. `payload`: `member_id`, `name`, `type`, `parent_id`.
             *     - `member.left`: Somebody is gone. `payload`: `member_id`, `name`, `type`, `parent_id`, `reason`, `duration_ms`.
             *     - `layout.changed`: Somebody set another layout, or it came back. `payload`: `layout_name`.
             *     - `position.requested`: A place in the layout was requested for a member or a file, or is not requested any more (`auto`). `payload`: `id`, `position`.
             *     - `recording.started`: The first picture is in the file. `payload`: `recording_id`.
             *     - `recording.paused`: Nothing is recorded until it is resumed. `payload`: `recording_id`.
             *     - `recording.resumed`: The recording goes on. `payload`: `recording_id`.
             *     - `recording.ended`: No more is recorded. `reason` is there when nobody asked for the end. `payload`: `recording_id`, `reason`.
             *     - `recording.completed`: The file can be played. `payload`: `recording_id`, `duration_ms`, `size_in_bytes`, `reason`.
             *     - `recording.failed`: Nothing of the recording can be played. `payload`: `recording_id`, `duration_ms`, `size_in_bytes`, `reason`.
             *     - `recording.expired`: It was deleted, because it was older than the `days` for which its room or project keeps recordings. `payload`: `recording_id`, `days`.
             *     - `recording.lost`: The store of objects has lost its file. `payload`: `recording_id`.
             *     - `recording.quota`: The recordings of the project have come to so many percent of what they may take: 80, or 100, from when on none is started. `payload`: `recording_id`, `percent`, `used_in_bytes`, `quota_in_bytes`.
             *     - `recording.refused`: The disk had no room for a recording or takes no files, or the quota of the project is used up. `payload`: `reason`.
             *     - `stream.started`: The server of a stream took it. `payload`: `stream_id`.
             *     - `stream.interrupted`: A stream lost its server, and tries again. `payload`: `stream_id`, `reason`.
             *     - `stream.resumed`: The server of a stream took it again. `payload`: `stream_id`.
             *     - `stream.ended`: A stream was stopped. `payload`: `stream_id`.
             *     - `playback.started`: A file or a live transmission is played into the room. `payload`: `playback_id`, `position_ms`.
             *     - `playback.paused`: A playback stands still until it is resumed. `payload`: `playback_id`, `position_ms`.
             *     - `playback.resumed`: A playback goes on. `payload`: `playback_id`, `position_ms`.
             *     - `playback.updated`: A playback has another volume, or goes on from another position. `payload`: `playback_id`, `position_ms`, `volume`.
             *     - `playback.ended`: A playback is over: it was `stopped`, is `finished`, its source is `lost`, or the `session_ended`. `payload`: `playback_id`, `position_ms`, `reason`.
             *     - `project.acted`: A back end of the project called a method of the session. `method` is its name in the client protocol. `payload`: `method`, `member_id`, `api_token_id`.
             *     - `history.mended`: Stored and running state differed, and what is stored was corrected. `payload`: `what`, `id`.
             * @example room.started
             * @enum {string}
             */
            name: "room.started" | "room.ended" | "room.updated" | "member.joined" | "member.promoted" | "member.demoted" | "member.updated" | "member.lost" | "member.back" | "member.left" | "layout.changed" | "position.requested" | "recording.started" | "recording.paused" | "recording.resumed" | "recording.ended" | "recording.completed" | "recording.failed" | "recording.expired" | "recording.lost" | "recording.quota" | "recording.refused" | "stream.started" | "stream.interrupted" | "stream.resumed" | "stream.ended" | "playback.started" | "playback.paused" | "playback.resumed" | "playback.updated" | "playback.ended" | "project.acted" | "history.mended";
            /**
             * @description Details.
             * @example {
             *       "reason": "left"
             *     }
             */
            payload: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * @description Name of the room; null if its session is not known.
             * @example board
             */
            room_name: string | null;
        };
        /**
         * ProblemPage
         * @description One page of a list.
         */
        ProblemPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["Problem"][];
        };
        /**
         * RecordingQuota
         * @description How much room recordings may take.
         */
        RecordingQuota: {
            /**
             * @description Bytes that all recordings may take together; null for as much as there is room for.
             * @example 500000000000
             */
            quota_in_bytes: number | null;
            /**
             * @description Bytes that they take.
             * @example 123456789
             */
            used_in_bytes: number;
            /**
             * @description How many they are.
             * @example 42
             */
            recordings: number;
        };
        /**
         * RecordingRetention
         * @description How long recordings are kept.
         */
        RecordingRetention: {
            /**
             * @description Recordings are deleted so many days after they were finished; null keeps them for ever.
             * @example 90
             */
            days: number | null;
        };
        /**
         * RecordingShare
         * @description A link by which anybody plays a recording.
         */
        RecordingShare: {
            /**
             * Format: uuid
             * @description Id of the link.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: date-time
             * @description Until when it works.
             * @example 2030-01-31T09:30:00Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
        };
        /**
         * RecordingShares
         * @description The links of a recording that have not expired.
         */
        RecordingShares: {
            /** @description Oldest first. */
            data: components["schemas"]["RecordingShare"][];
        };
        /**
         * RefreshSubscriberToken
         * @description What to renew.
         */
        RefreshSubscriberToken: {
            /**
             * @description The refresh token.
             * @example eyJhbGciOiJIUzI1NiJ9.eyJyZWYiOiJhZGEifQ.c2lnbmF0dXJl
             */
            refresh_token: string;
        };
        /**
         * RefreshedTokens
         * @description New tokens of a subscriber.
         */
        RefreshedTokens: {
            /**
             * @description The new access token; lives two hours.
             * @example eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl
             */
            token: string;
            /**
             * @description The new refresh token; lives two hours and five minutes.
             * @example eyJhbGciOiJIUzI1NiJ9.eyJyZWYiOiJhZGEifQ.c2lnbmF0dXJl
             */
            refresh_token: string;
        };
        /**
         * ReplayWebhook
         * @description Which deliveries are sent again.
         */
        ReplayWebhook: {
            /**
             * Format: date-or-date-time
             * @description Only what was stored then or later.
             * @example 2030-01-31T09:30:00Z
             */
            since: string;
            /**
             * Format: date-or-date-time
             * @description Only what was stored before; by default everything.
             * @example 2030-01-31T09:30:00Z
             * @example 2030-01-31
             */
            until?: string | null;
            /**
             * @description What is sent again: what failed, or what was delivered.
             * @default failed
             * @example failed
             * @enum {string|null}
             */
            status?: "failed" | "delivered" | null;
        };
        /**
         * RevokeRoomToken
         * @description Which room token is to be void: the token or its id.
         */
        RevokeRoomToken: {
            /**
             * @description The token itself.
             * @example eyJhbGciOiJIUzI1NiIsImNoIjoibWVldC5leGFtcGxlLm9yZyJ9.eyJyIjoic3RhbmR1cCJ9.c2lnbmF0dXJl
             */
            token?: string | null;
            /**
             * Format: uuid
             * @description Its id: the claim `jti` of the token.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id?: string | null;
        };
        /**
         * RevokeSubscriberTokens
         * @description Whose tokens are to be void: one of the two.
         */
        RevokeSubscriberTokens: {
            /**
             * Format: uuid
             * @description Id of the subscriber.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            subscriber_id?: string | null;
            /**
             * @description How your system calls the user.
             * @example ada@example.org
             */
            reference?: string | null;
        };
        /**
         * Room
         * @description A room: where sessions take place.
         */
        Room: {
            /**
             * Format: uuid
             * @description Id of the room.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Unique within the project.
             * @example standup
             */
            name: string;
            /**
             * @description Title for people; the name unless given.
             * @example Daily stand-up
             */
            display_name: string | null;
            /**
             * @description What the room is for.
             * @example Fifteen minutes, every morning.
             */
            description: string | null;
            /**
             * @description Members at one time, audience aside.
             * @example 20
             */
            max_members: number;
            /**
             * @description Height of the composed picture: 720p or 1080p.
             * @example 720p
             * @enum {string}
             */
            quality: "720p" | "1080p";
            /**
             * @description Frames per second of the composed picture: 20 or 30.
             * @example 20
             */
            fps: number;
            /**
             * Format: date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             */
            join_from: string | null;
            /**
             * Format: date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until: string | null;
            /**
             * Format: date-time
             * @description Everybody is removed at this time.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at: string | null;
            /**
             * @description Each member is removed after so many seconds.
             * @example 3600
             */
            remove_after_seconds_elapsed: number | null;
            /**
             * @description Layout that sessions start with.
             * @example grid-responsive
             */
            layout: string;
            /**
             * @description Start a recording when a session starts.
             * @example true
             */
            record_on_start: boolean;
            /**
             * @description Play a tone when somebody enters or leaves.
             * @example true
             */
            tone_on_entry_and_exit: boolean;
            /**
             * @description Members join with their video off, by setting of the room.
             * @example true
             */
            room_join_video_off: boolean;
            /**
             * @description Members join with their video off, by setting of the user.
             * @example true
             */
            user_join_video_off: boolean;
            /**
             * @description Make a small preview video of what goes on in the room.
             * @example true
             */
            enable_room_previews: boolean | null;
            /**
             * @description Let people watch sessions over HLS, as many as like to, by the link `hls_url` of the session. An addition of this server.
             * @example true
             */
            enable_hls: boolean;
            /**
             * @description Keep audio and video in step, at the price of some delay.
             * @example true
             */
            sync_audio_video: boolean | null;
            /**
             * @description Members who raise their hand come first in the layout.
             * @example true
             */
            prioritize_handraise: boolean;
            /**
             * @description Draw the names of members onto their tiles, so that recordings, streams and previews show them too. An addition of this server.
             * @example true
             */
            name_labels: boolean;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @example true
             */
            waiting_room: boolean;
            /**
             * @description Its recordings are deleted so many days after they were finished; 0 keeps them for ever, and null leaves it to the rule of the project. An addition of this server.
             * @example 90
             */
            recording_retention_days: number | null;
            /**
             * @description Anything you want to keep with the room.
             * @example {
             *       "customer": 42
             *     }
             */
            meta: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2030-01-31T09:30:00Z
             */
            updated_at: string;
            active_session?: components["schemas"]["ActiveSession"] | null;
        };
        /**
         * RoomPage
         * @description One page of a list.
         */
        RoomPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["Room"][];
        };
        /**
         * RoomRecording
         * @description A recording of a room session.
         */
        RoomRecording: {
            /**
             * Format: uuid
             * @description Id of the recording.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: uuid
             * @description The session it was made in.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_session_id: string;
            /**
             * @description How far it is.
             * @example recording
             * @enum {string|null}
             */
            status: "recording" | "paused" | "processing" | "completed" | null;
            /**
             * Format: date-time
             * @description When its first frame was written.
             * @example 2030-01-31T09:30:00Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When its last frame was written.
             * @example 2030-01-31T09:30:00Z
             */
            finished_at: string | null;
            /**
             * @description Seconds of media, pauses left out.
             * @example 734
             */
            duration: number | null;
            /**
             * @description Size of the file.
             * @example 8123456
             */
            size_in_bytes: number | null;
            /**
             * @description MIME type of the file.
             * @example video/mp4
             */
            format: string | null;
            /**
             * @description By the price list of the server.
             * @example 0.024
             */
            cost_in_dollars: number;
            /**
             * @description Link to the media, for a while; null until it is completed.
             * @example https://meet.example.org/media/9d3f2c50/recordings/0c8f1c2b.mp4?expires=1896082200&signature=c2lnbmF0dXJl
             */
            uri: string | null;
            /**
             * Format: date-time
             * @description When the recording was asked for.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it changed last.
             * @example 2030-01-31T09:30:00Z
             */
            updated_at: string;
        };
        /**
         * RoomRecordingPage
         * @description One page of a list.
         */
        RoomRecordingPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["RoomRecording"][];
        };
        /**
         * RoomSession
         * @description A running or finished instance of a room.
         */
        RoomSession: {
            /**
             * Format: uuid
             * @description Id of the session.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: uuid
             * @description The room it was started from.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_id: string | null;
            /**
             * @description Name of the room.
             * @example standup
             */
            name: string | null;
            /**
             * @description Title for people; the name unless given.
             * @example Daily stand-up
             */
            display_name: string | null;
            /**
             * @description Members at one time, audience aside.
             * @example 20
             */
            max_members: number | null;
            /**
             * @description Height of the composed picture: 720p or 1080p.
             * @example 720p
             */
            quality: string | null;
            /**
             * @description Frames per second of the composed picture: 20 or 30.
             * @example 20
             */
            fps: number | null;
            /**
             * Format: date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             */
            join_from: string | null;
            /**
             * Format: date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until: string | null;
            /**
             * Format: date-time
             * @description Everybody is removed at this time.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at: string | null;
            /**
             * @description Each member is removed after so many seconds.
             * @example 3600
             */
            remove_after_seconds_elapsed: number | null;
            /**
             * @description Layout that sessions start with.
             * @example grid-responsive
             */
            layout: string | null;
            /**
             * @description Start a recording when a session starts.
             * @example true
             */
            record_on_start: boolean;
            /**
             * @description Play a tone when somebody enters or leaves.
             * @example true
             */
            tone_on_entry_and_exit: boolean;
            /**
             * @description Members join with their video off, by setting of the room.
             * @example true
             */
            room_join_video_off: boolean;
            /**
             * @description Members join with their video off, by setting of the user.
             * @example true
             */
            user_join_video_off: boolean;
            /**
             * @description Let people watch sessions over HLS, as many as like to, by the link `hls_url` of the session. An addition of this server.
             * @example true
             */
            enable_hls: boolean;
            /**
             * @description Keep audio and video in step, at the price of some delay.
             * @example true
             */
            sync_audio_video: boolean | null;
            /**
             * @description Members who raise their hand come first in the layout.
             * @example true
             */
            prioritize_handraise: boolean | null;
            /**
             * @description Draw the names of members onto their tiles, so that recordings, streams and previews show them too. An addition of this server.
             * @example true
             */
            name_labels: boolean;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @example true
             */
            waiting_room: boolean;
            /**
             * Format: date-time
             * @description When the first member joined.
             * @example 2030-01-31T09:30:00Z
             */
            start_time: string | null;
            /**
             * Format: date-time
             * @description When it ended; null while it is in progress.
             * @example 2030-01-31T09:42:14Z
             */
            end_time: string | null;
            /**
             * @description Seconds from start to end, or until now while it is in progress.
             * @example 734
             */
            duration: number | null;
            /**
             * @description Whether it is still going on.
             * @example in-progress
             * @enum {string|null}
             */
            status: "in-progress" | "completed" | null;
            /**
             * @description Preview video, while it is in progress and previews are enabled: four seconds without sound, 320x180, in MP4, made anew every 20 seconds. Whoever has the link may follow it; 404 until the first is complete and once the session has ended.
             * @example https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8
             */
            preview_url: string | null;
            /**
             * @description Playlist of low-latency HLS, while it is in progress and HLS is enabled. Whoever has the link may watch; 404 until there is something to watch. An addition of this server.
             * @example https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/hls/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112/mN3xkUq8/index.m3u8
             */
            hls_url: string | null;
            /**
             * @description Nobody else can join.
             * @example true
             */
            locked: boolean;
            /**
             * Format: date-time
             * @description When it was stored first.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it changed last.
             * @example 2030-01-31T09:30:00Z
             */
            updated_at: string;
        };
        /**
         * RoomToken
         * @description A room token.
         */
        RoomToken: {
            /**
             * @description What the client connects with.
             * @example eyJhbGciOiJIUzI1NiIsImNoIjoibWVldC5leGFtcGxlLm9yZyJ9.eyJyIjoic3RhbmR1cCJ9.c2lnbmF0dXJl
             */
            token: string;
        };
        /**
         * RotateWebhookSecret
         * @description How the old secret ends.
         */
        RotateWebhookSecret: {
            /**
             * @description For how long messages are signed with the old secret too.
             * @default 86400
             * @example 86400
             */
            overlap_seconds?: number | null;
        };
        /**
         * ServerLogLines
         * @description The end of the log, without secrets and control characters.
         */
        ServerLogLines: {
            /** @description The last lines, newest first. */
            data: components["schemas"]["LogEntry"][];
        };
        /**
         * ServerVersion
         * @description What runs, and since when.
         */
        ServerVersion: {
            /**
             * @description Version of Parley that runs.
             * @example 0.2.0
             */
            version: string;
            /**
             * @description Version of Node.js that runs it.
             * @example v24.11.0
             */
            node: string;
            /**
             * @description Operating system and kind of processor.
             * @example linux x64
             */
            platform: string;
            /**
             * Format: date-time
             * @description Since when it runs.
             * @example 2030-01-31T09:30:00Z
             */
            started_at: string;
        };
        /**
         * SessionMember
         * @description Somebody who is or was in a session.
         */
        SessionMember: {
            /**
             * Format: uuid
             * @description Id of the member.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: uuid
             * @description The session it was in.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_session_id: string;
            /**
             * @description Name of the user.
             * @example Ada
             */
            name: string | null;
            /**
             * Format: date-time
             * @description When it joined.
             * @example 2030-01-31T09:30:00Z
             */
            join_time: string;
            /**
             * Format: date-time
             * @description When it left; null while it is in.
             * @example 2030-01-31T09:42:14Z
             */
            leave_time: string | null;
            /**
             * @description Seconds in the session, up to now while it is in.
             * @example 734
             */
            duration: number | null;
            /**
             * @description By the price list of the server.
             * @example 0.024
             */
            cost_in_dollars: number;
        };
        /**
         * SessionMemberPage
         * @description One page of a list.
         */
        SessionMemberPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["SessionMember"][];
        };
        /**
         * SessionNames
         * @description A few names that sessions can be looked for by, in order.
         */
        SessionNames: {
            /**
             * @description Names of rooms that had sessions.
             * @example [
             *       "board"
             *     ]
             */
            rooms: string[];
            /**
             * @description Names of people who were in sessions.
             * @example [
             *       "Bob"
             *     ]
             */
            people: string[];
        };
        /**
         * SessionQualities
         * @description How the connections of the members of a session were.
         */
        SessionQualities: {
            /** @description The members, in the order of their first interval. */
            data: components["schemas"]["MemberQuality"][];
        };
        /**
         * SetDrain
         * @description Whether the server takes new sessions.
         */
        SetDrain: {
            /**
             * @description Whether no new session may begin. Those that run go on, and people may join them.
             * @example false
             */
            draining: boolean;
        };
        /**
         * SignIn
         * @description Who signs in.
         */
        SignIn: {
            /**
             * @description Name of the user.
             * @example ada@example.org
             */
            name: string;
            /**
             * @description Password of the user.
             * @example four words nobody else has
             */
            password: string;
            /**
             * @description The project, where several have a user of this name.
             * @example 5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42
             */
            project_id?: string | null;
        };
        /**
         * SignInLink
         * @description What a one-time link invites to.
         */
        SignInLink: {
            /**
             * @description The project.
             * @example {
             *       "id": "5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42",
             *       "name": "First project"
             *     }
             */
            project: {
                /**
                 * @description Id of the project.
                 * @example 5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42
                 */
                id: string;
                /**
                 * @description Its name.
                 * @example First project
                 */
                name: string;
            };
            /**
             * @description Name of the invited user; null for an owner, who chooses it.
             * @example ada@example.org
             */
            name: string | null;
            /**
             * @description Role of the invited user.
             * @example operator
             * @enum {string}
             */
            role: "owner" | "operator" | "viewer";
        };
        /**
         * StorageUse
         * @description Space that the recordings of the project take, and what is left.
         */
        StorageUse: {
            /**
             * @description Number of recordings.
             * @example 120
             */
            recordings: number;
            /**
             * @description Their size.
             * @example 52428800
             */
            recordings_bytes: number;
            /**
             * @description Free space on the disk of the recordings.
             * @example 250000000000
             */
            free_bytes: number;
            /**
             * @description Size of that disk.
             * @example 500000000000
             */
            total_bytes: number;
        };
        /**
         * Stream
         * @description Where picture and sound of a room or conference go. It starts when a session is in progress and stops with it.
         */
        Stream: {
            /**
             * Format: uuid
             * @description Id of the stream.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description RTMP or RTMPS address that takes the stream.
             * @example rtmps://live.example.com/app/key
             */
            url: string | null;
            /**
             * @description Type of stream.
             * @example rtmp
             * @enum {string|null}
             */
            stream_type: "rtmp" | null;
            /**
             * @description Width of the picture in pixels.
             * @example 1280
             */
            width: number | null;
            /**
             * @description Height of the picture in pixels.
             * @example 720
             */
            height: number | null;
            /**
             * @description Frames per second of the picture.
             * @example 20
             */
            fps: number | null;
            /**
             * Format: date-time
             * @description When the stream was created.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the stream was changed last.
             * @example 2030-01-31T09:30:00Z
             */
            updated_at: string;
            /**
             * @description An addition of this server. How the connection is: `waiting` for a session, `connecting` for the first time, `live`, or `retrying` every one to two seconds.
             * @example waiting
             * @enum {string}
             */
            status: "waiting" | "connecting" | "live" | "retrying";
            /**
             * Format: date-time
             * @description An addition of this server. Since when the destination takes the stream.
             * @example 2030-01-31T09:30:00Z
             */
            live_since: string | null;
            /**
             * Format: date-time
             * @description An addition of this server. Since when the stream does not run though it should.
             * @example 2030-01-31T09:30:00Z
             */
            retrying_since: string | null;
            /**
             * @description An addition of this server. Why the stream did not run at last: its address leads where streams may not go; no connection, or the destination did not take it; the destination closed the connection; it stopped reading.
             * @example address_refused
             * @enum {string|null}
             */
            last_error: "address_refused" | "unreachable" | "closed" | "stalled" | null;
        };
        /**
         * StreamPage
         * @description One page of a list.
         */
        StreamPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["Stream"][];
        };
        /**
         * StreamTarget
         * @description Where a stream goes.
         */
        StreamTarget: {
            /**
             * @description RTMP or RTMPS address that takes the stream. It may not lead into a private network.
             * @example rtmps://live.example.com/app/key
             */
            url: string;
        };
        /**
         * StreamTestResult
         * @description What became of a few seconds of test picture.
         */
        StreamTestResult: {
            /**
             * @description `taken`: the destination took the test picture to its end. `unknown_host`: nothing has this name. `unreachable`: no connection, or it did not take the stream. `closed`: it took it and closed the connection. `stalled`: it took it and stopped reading.
             * @example taken
             * @enum {string}
             */
            outcome: "taken" | "unknown_host" | "unreachable" | "closed" | "stalled";
            /**
             * @description How long it took the picture, in milliseconds.
             * @example 3000
             */
            published_ms: number;
        };
        /**
         * StreamTestTarget
         * @description What is tried.
         */
        StreamTestTarget: {
            /**
             * @description RTMP or RTMPS address that takes the stream. It may not lead into a private network.
             * @example rtmps://live.example.com/app/key
             */
            url: string;
        };
        /**
         * SubscriberTokens
         * @description Tokens of a subscriber.
         */
        SubscriberTokens: {
            /**
             * Format: uuid
             * @description Id of the subscriber.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            subscriber_id: string;
            /**
             * @description Access token: the credential of the user (Bearer).
             * @example eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl
             */
            token: string;
            /**
             * @description Makes new tokens, once; lives five minutes longer.
             * @example eyJhbGciOiJIUzI1NiJ9.eyJyZWYiOiJhZGEifQ.c2lnbmF0dXJl
             */
            refresh_token: string;
        };
        /**
         * UpdateConference
         * @description Changes to a conference. A field that is absent keeps its value; null resets it to its default.
         */
        UpdateConference: {
            /**
             * @description Accepted only if it is the present name.
             * @example town-hall
             */
            name?: string;
            /**
             * @description Title for people.
             * @example Town hall
             */
            display_name: string;
            /**
             * @description What the conference is for.
             * @example Fifteen minutes, every morning.
             */
            description?: string | null;
            /**
             * @description Height of the composed picture: 720p or 1080p.
             * @default 720p
             * @example 720p
             * @enum {string|null}
             */
            quality?: "720p" | "1080p" | null;
            /**
             * Format: date-or-date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             * @example 2030-01-31
             */
            join_from?: string | null;
            /**
             * Format: date-or-date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until?: string | null;
            /**
             * Format: date-or-date-time
             * @description Everybody is removed at this time. For conferences an addition of this server.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at?: string | null;
            /**
             * @description Layout that sessions start with.
             * @default grid-responsive
             * @example grid-responsive
             * @enum {string|null}
             */
            layout?: "grid-responsive" | "grid-responsive-mobile" | "highlight-1-responsive" | "1x1" | "2x1" | "2x2" | "5up" | "3x3" | "4x4" | "5x5" | "6x6" | "8x8" | "10x10" | null;
            /**
             * @description Start a recording when a session starts.
             * @default false
             * @example false
             */
            record_on_start?: boolean | null;
            /**
             * @description Play a tone when somebody enters or leaves.
             * @default false
             * @example false
             */
            tone_on_entry_and_exit?: boolean | null;
            /**
             * @description Members join with their video off, by setting of the room.
             * @default false
             * @example false
             */
            room_join_video_off?: boolean | null;
            /**
             * @description Members join with their video off, by setting of the user.
             * @default false
             * @example false
             */
            user_join_video_off?: boolean | null;
            /**
             * @description Make a small preview video of what goes on in the room.
             * @default false
             * @example false
             */
            enable_room_previews?: boolean | null;
            /**
             * @description Let people watch sessions over HLS, as many as like to, by the link `hls_url` of the session. An addition of this server.
             * @default false
             * @example false
             */
            enable_hls?: boolean | null;
            /**
             * @description Draw the names of members onto their tiles, so that recordings, streams and previews show them too. An addition of this server.
             * @default false
             * @example false
             */
            name_labels?: boolean | null;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @default false
             * @example false
             */
            waiting_room?: boolean | null;
            /**
             * @description Its recordings are deleted so many days after they were finished; 0 keeps them for ever, and null leaves it to the rule of the project. An addition of this server.
             * @example 90
             */
            recording_retention_days?: number | null;
            /**
             * @description Anything you want to keep with the room.
             * @example {
             *       "customer": 42
             *     }
             */
            meta?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Members at one time: small takes 10, medium 50, large 300.
             * @default medium
             * @example medium
             * @enum {string|null}
             */
            size?: "small" | "medium" | "large" | null;
            /**
             * @description Participants can write to each other.
             * @default true
             * @example true
             */
            enable_chat?: boolean | null;
            /**
             * @description Everybody who knows the name can read title, description, colours, times and state, without a link. An addition of this server.
             * @default false
             * @example false
             */
            public_look?: boolean | null;
            /**
             * @description Colour of the dark theme: main buttons and selected items.
             * @default #044EF4
             * @example #044EF4
             */
            dark_primary?: string | null;
            /**
             * @description Colour of the dark theme: main background.
             * @default #FFFFFF
             * @example #FFFFFF
             */
            dark_background?: string | null;
            /**
             * @description Colour of the dark theme: text on the main background.
             * @default #1D2127
             * @example #1D2127
             */
            dark_foreground?: string | null;
            /**
             * @description Colour of the dark theme: what went well.
             * @default #17BB58
             * @example #17BB58
             */
            dark_success?: string | null;
            /**
             * @description Colour of the dark theme: what went wrong.
             * @default #F42C50
             * @example #F42C50
             */
            dark_negative?: string | null;
            /**
             * @description Colour of the light theme: main buttons and selected items.
             * @default #044EF4
             * @example #044EF4
             */
            light_primary?: string | null;
            /**
             * @description Colour of the light theme: main background.
             * @default #FFFFFF
             * @example #FFFFFF
             */
            light_background?: string | null;
            /**
             * @description Colour of the light theme: text on the main background.
             * @default #1D2127
             * @example #1D2127
             */
            light_foreground?: string | null;
            /**
             * @description Colour of the light theme: what went well.
             * @default #17BB58
             * @example #17BB58
             */
            light_success?: string | null;
            /**
             * @description Colour of the light theme: what went wrong.
             * @default #F42C50
             * @example #F42C50
             */
            light_negative?: string | null;
        };
        /**
         * UpdateRoom
         * @description Changes to a room. A field that is absent keeps its value; null resets it to its default.
         */
        UpdateRoom: {
            /**
             * @description Accepted only if it is the present name.
             * @example standup
             */
            name?: string;
            /**
             * @description Title for people; the name unless given.
             * @example Daily stand-up
             */
            display_name?: string | null;
            /**
             * @description What the room is for.
             * @example Fifteen minutes, every morning.
             */
            description?: string | null;
            /**
             * @description Members at one time, audience aside.
             * @default 20
             * @example 20
             */
            max_members?: number | null;
            /**
             * @description Height of the composed picture: 720p or 1080p.
             * @default 720p
             * @example 720p
             * @enum {string|null}
             */
            quality?: "720p" | "1080p" | null;
            /**
             * Format: date-or-date-time
             * @description Nobody can join before.
             * @example 2030-01-31T09:30:00Z
             * @example 2030-01-31
             */
            join_from?: string | null;
            /**
             * Format: date-or-date-time
             * @description Nobody can join after; who is in stays.
             * @example 2030-01-31T10:30:00Z
             */
            join_until?: string | null;
            /**
             * Format: date-or-date-time
             * @description Everybody is removed at this time.
             * @example 2030-01-31T11:00:00Z
             */
            remove_at?: string | null;
            /**
             * @description Each member is removed after so many seconds.
             * @example 3600
             */
            remove_after_seconds_elapsed?: number | null;
            /**
             * @description Layout that sessions start with.
             * @default grid-responsive
             * @example grid-responsive
             * @enum {string|null}
             */
            layout?: "grid-responsive" | "grid-responsive-mobile" | "highlight-1-responsive" | "1x1" | "2x1" | "2x2" | "5up" | "3x3" | "4x4" | "5x5" | "6x6" | "8x8" | "10x10" | null;
            /**
             * @description Start a recording when a session starts.
             * @default false
             * @example false
             */
            record_on_start?: boolean | null;
            /**
             * @description Play a tone when somebody enters or leaves.
             * @default false
             * @example false
             */
            tone_on_entry_and_exit?: boolean | null;
            /**
             * @description Members join with their video off, by setting of the room.
             * @default false
             * @example false
             */
            room_join_video_off?: boolean | null;
            /**
             * @description Members join with their video off, by setting of the user.
             * @default false
             * @example false
             */
            user_join_video_off?: boolean | null;
            /**
             * @description Make a small preview video of what goes on in the room.
             * @default false
             * @example false
             */
            enable_room_previews?: boolean | null;
            /**
             * @description Let people watch sessions over HLS, as many as like to, by the link `hls_url` of the session. An addition of this server.
             * @default false
             * @example false
             */
            enable_hls?: boolean | null;
            /**
             * @description Keep audio and video in step, at the price of some delay.
             * @example true
             */
            sync_audio_video?: boolean | null;
            /**
             * @description Members who raise their hand come first in the layout.
             * @default false
             * @example false
             */
            prioritize_handraise?: boolean | null;
            /**
             * @description Draw the names of members onto their tiles, so that recordings, streams and previews show them too. An addition of this server.
             * @default false
             * @example false
             */
            name_labels?: boolean | null;
            /**
             * @description Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.
             * @default false
             * @example false
             */
            waiting_room?: boolean | null;
            /**
             * @description Its recordings are deleted so many days after they were finished; 0 keeps them for ever, and null leaves it to the rule of the project. An addition of this server.
             * @example 90
             */
            recording_retention_days?: number | null;
            /**
             * @description Anything you want to keep with the room.
             * @example {
             *       "customer": 42
             *     }
             */
            meta?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * UpdateUser
         * @description What to change.
         */
        UpdateUser: {
            /**
             * @description The new role. The user is signed out everywhere.
             * @example operator
             * @enum {string}
             */
            role: "owner" | "operator" | "viewer";
        };
        /**
         * UpdateWebhook
         * @description Changes to a webhook. A field that is absent keeps its value; null resets it to its default.
         */
        UpdateWebhook: {
            /**
             * @description HTTPS address to which the events are sent. It may not lead into a private network, nor hold a user name or password.
             * @example https://hooks.example.com/parley
             */
            url?: string;
            /**
             * @description What it is for, in your words.
             * @default
             * @example Billing
             */
            description?: string | null;
            /**
             * @description Events that are sent: by name, or by group such as `member.*`. Null sends all.
             * @example [
             *       "room.*",
             *       "recording.completed"
             *     ]
             */
            events?: ("room.*" | "member.*" | "layout.*" | "position.*" | "recording.*" | "stream.*" | "playback.*" | "project.*" | "history.*" | "room.started" | "room.ended" | "room.updated" | "member.joined" | "member.promoted" | "member.demoted" | "member.updated" | "member.lost" | "member.back" | "member.left" | "layout.changed" | "position.requested" | "recording.started" | "recording.paused" | "recording.resumed" | "recording.ended" | "recording.completed" | "recording.failed" | "recording.expired" | "recording.lost" | "recording.quota" | "recording.refused" | "stream.started" | "stream.interrupted" | "stream.resumed" | "stream.ended" | "playback.started" | "playback.paused" | "playback.resumed" | "playback.updated" | "playback.ended" | "project.acted" | "history.mended")[] | null;
            /**
             * @description Whether events are sent. What happens while it is false is never sent; what waited before stays, and is sent once it is true again.
             * @default true
             * @example true
             */
            enabled?: boolean | null;
        };
        /**
         * Usage
         * @description Use of the project by hour, oldest first. The last hour is the one under way.
         */
        Usage: {
            /**
             * Format: date-time
             * @description Begin of the first hour.
             * @example 2030-01-31T09:30:00Z
             */
            start: string;
            /**
             * @description Minutes that members and audience spent in rooms.
             * @example [
             *       0,
             *       12.5
             *     ]
             */
            member_minutes: number[];
            /**
             * @description Minutes of recorded media.
             * @example [
             *       0,
             *       12.5
             *     ]
             */
            recorded_minutes: number[];
            /**
             * @description Minutes of streams.
             * @example [
             *       0,
             *       12.5
             *     ]
             */
            streamed_minutes: number[];
            /**
             * @description Cost of all three, by the prices of the server.
             * @example [
             *       0,
             *       12.5
             *     ]
             */
            cost_in_dollars: number[];
        };
        /**
         * User
         * @description A person who may sign in to the project.
         */
        User: {
            /**
             * Format: uuid
             * @description Id of the user.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Name of the user, unique within the project in any case of its letters.
             * @example ada@example.org
             */
            name: string;
            /**
             * @description Role of the user.
             * @example operator
             * @enum {string}
             */
            role: "owner" | "operator" | "viewer";
            /**
             * @description How the user signs in: with a `password`; by the OpenID provider of this server (`openid`); not yet, because the one-time link was not used (`invited`).
             * @example password
             * @enum {string}
             */
            signs_in_with: "invited" | "password" | "openid";
            /**
             * Format: date-time
             * @description When the user signed in last; null for never.
             * @example 2030-01-31T09:30:00Z
             */
            last_sign_in_at: string | null;
            /**
             * Format: date-time
             * @description When the user was added.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
        };
        /**
         * UserSession
         * @description A browser in which a user is signed in.
         */
        UserSession: {
            /**
             * Format: uuid
             * @description Id of the session.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description What the browser says it is.
             * @example Mozilla/5.0
             */
            user_agent: string;
            /**
             * @description Whether it is the session of this request.
             * @example true
             */
            is_current: boolean;
            /**
             * Format: date-time
             * @description When it was used last, to the minute.
             * @example 2030-01-31T09:30:00Z
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @description When it ends at the latest.
             * @example 2030-01-31T09:30:00Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When the user signed in.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
        };
        /**
         * UserSessions
         * @description The sessions of a user.
         */
        UserSessions: {
            /** @description The one used last comes first. */
            data: components["schemas"]["UserSession"][];
        };
        /**
         * Users
         * @description The users of the project.
         */
        Users: {
            /** @description Oldest first. */
            data: components["schemas"]["User"][];
        };
        /**
         * VideoLog
         * @description Something that took place. No part of it is charged in another entry too.
         */
        VideoLog: {
            /**
             * Format: uuid
             * @description Id of the entry: that of the session or recording, or of one run of a stream.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description Where the entry comes from.
             * @example realtime_api
             * @enum {string}
             */
            source: "realtime_api";
            /**
             * @description A session of a room, one of a conference, a recording, or one run of a stream. A session of a conference that was deleted counts as that of a room.
             * @example video_room_session
             * @enum {string}
             */
            type: "video_room_session" | "video_conference_session" | "video_room_recording" | "video_stream";
            /**
             * @description Where to ask for the session, recording or stream; null where nothing is kept.
             * @example https://meet.example.org/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            url: string | null;
            /**
             * @description Name of the room or conference.
             * @example standup
             */
            room_name: string | null;
            /**
             * @description Of a session `in-progress` or `completed`; of a recording as that says; of a stream `streaming` or `completed`.
             * @example completed
             */
            status: string | null;
            /**
             * @description The session is locked, or was when it ended.
             * @example true
             */
            locked: boolean;
            /**
             * Format: date-time
             * @description When it began.
             * @example 2030-01-31T09:30:00Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When it ended; null while it goes on.
             * @example 2030-01-31T09:30:00Z
             */
            ended_at: string | null;
            /**
             * @description Dollars, by the price list of the server.
             * @example 0.024
             */
            charge: number;
            /**
             * Format: date-time
             * @description When it was stored first.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /** @description What the charge consists of. */
            charge_details: components["schemas"]["VideoLogCharge"][];
        };
        /**
         * VideoLogCharge
         * @description One part of the charge.
         */
        VideoLogCharge: {
            /**
             * @description What it is for.
             * @example Member minutes
             */
            description: string;
            /**
             * @description Dollars, by the price list of the server.
             * @example 0.024
             */
            charge: number;
        };
        /**
         * VideoLogPage
         * @description One page of a list.
         */
        VideoLogPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["VideoLog"][];
        };
        /**
         * Webhook
         * @description An address of the project to which its events are sent.
         */
        Webhook: {
            /**
             * Format: uuid
             * @description Id of the webhook.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * @description HTTPS address to which the events are sent. It may not lead into a private network, nor hold a user name or password.
             * @example https://hooks.example.com/parley
             */
            url: string;
            /**
             * @description What it is for, in your words.
             * @example Billing
             */
            description: string;
            /**
             * @description Events that are sent: by name, or by group such as `member.*`. Null sends all.
             * @example [
             *       "room.*",
             *       "recording.completed"
             *     ]
             */
            events: string[] | null;
            /**
             * @description Whether events are sent. What happens while it is false is never sent; what waited before stays, and is sent once it is true again.
             * @example true
             */
            enabled: boolean;
            /**
             * @description Why it is not enabled: somebody `asked` for it, the receiver answered 410 (`gone`), or every attempt failed for days (`failing`). Null while it is enabled.
             * @example gone
             * @enum {string|null}
             */
            disabled_reason: "asked" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Since when every attempt has failed; null while attempts succeed.
             * @example 2030-01-31T09:30:00Z
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description Until when messages are also signed with the secret before the last rotation; null without one.
             * @example 2030-01-31T09:30:00Z
             */
            previous_secret_expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2030-01-31T09:30:00Z
             */
            updated_at: string;
        };
        /**
         * WebhookAttempt
         * @description One attempt to deliver.
         */
        WebhookAttempt: {
            /**
             * Format: date-time
             * @description When it began.
             * @example 2030-01-31T09:30:00Z
             */
            attempted_at: string;
            /**
             * @description How long it took, in milliseconds.
             * @example 120
             */
            duration_ms: number;
            /**
             * @description HTTP status of the answer; null if there was none.
             * @example 500
             */
            response_status: number | null;
            /**
             * @description Beginning of the answer, unless the receiver took the message.
             * @example database is down
             */
            response_body: string | null;
            /**
             * @description Why there was no answer, or why it does not count.
             * @example the connection was refused
             */
            error: string | null;
            /**
             * Format: date-time
             * @description When it is tried again; null if it is not.
             * @example 2030-01-31T09:30:00Z
             */
            next_attempt_at: string | null;
        };
        /**
         * WebhookDelivery
         * @description One event on its way to one webhook.
         */
        WebhookDelivery: {
            /**
             * Format: uuid
             * @description Id of the delivery: that of the event, and the `webhook-id` of the message.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: uuid
             * @description The webhook that it goes to.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            webhook_id: string;
            /**
             * @description Name of the event.
             * @example room.started
             */
            event_name: string;
            /**
             * Format: uuid
             * @description The session that the event is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_session_id: string | null;
            /**
             * @description Number of the event among those of its session that this webhook gets, from 1. It is in the message.
             * @example 3
             */
            sequence: number;
            /**
             * @description `pending` until the receiver has taken it, or the last attempt has failed.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * @description How often it was tried, since it was stored or last sent again.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it was stored: together with its event.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was delivered or had failed; null while it is pending.
             * @example 2030-01-31T09:30:00Z
             */
            finished_at: string | null;
        };
        /**
         * WebhookDeliveryPage
         * @description One page of a list.
         */
        WebhookDeliveryPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["WebhookDelivery"][];
        };
        /**
         * WebhookDeliveryWithLog
         * @description A delivery with all of its attempts.
         */
        WebhookDeliveryWithLog: {
            /**
             * Format: uuid
             * @description Id of the delivery: that of the event, and the `webhook-id` of the message.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            id: string;
            /**
             * Format: uuid
             * @description The webhook that it goes to.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            webhook_id: string;
            /**
             * @description Name of the event.
             * @example room.started
             */
            event_name: string;
            /**
             * Format: uuid
             * @description The session that the event is about.
             * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
             */
            room_session_id: string | null;
            /**
             * @description Number of the event among those of its session that this webhook gets, from 1. It is in the message.
             * @example 3
             */
            sequence: number;
            /**
             * @description `pending` until the receiver has taken it, or the last attempt has failed.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * @description How often it was tried, since it was stored or last sent again.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it was stored: together with its event.
             * @example 2030-01-31T09:30:00Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was delivered or had failed; null while it is pending.
             * @example 2030-01-31T09:30:00Z
             */
            finished_at: string | null;
            /** @description The attempts, oldest first. */
            log: components["schemas"]["WebhookAttempt"][];
        };
        /**
         * WebhookPage
         * @description One page of a list.
         */
        WebhookPage: {
            links: components["schemas"]["PageLinks"];
            /** @description The items of this page. */
            data: components["schemas"]["Webhook"][];
        };
        /**
         * WebhookReplay
         * @description What is sent again.
         */
        WebhookReplay: {
            /**
             * @description How many deliveries are sent again.
             * @example 12
             */
            replayed: number;
            /**
             * Format: date-time
             * @description One request sends a thousand again at most. Where there are more: the `since` of the next request; else null.
             * @example 2030-01-31T09:30:00Z
             */
            continue_since: string | null;
        };
    };
    responses: {
        /** @description The request cannot be read, or something required is missing. Codes: `missing_required_parameter`, `not_a_hash`, `not_a_valid_json`, `invalid_content_type`, `character_limit_exceeded`, `invalid_parameter`, `header_value_too_long`, `cannot_process`. */
        Error400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example missing_required_parameter
                         * @enum {string}
                         */
                        code?: "missing_required_parameter" | "not_a_hash" | "not_a_valid_json" | "invalid_content_type" | "character_limit_exceeded" | "invalid_parameter" | "header_value_too_long" | "cannot_process";
                    }[];
                };
            };
        };
        /** @description The credentials are missing, wrong or expired. Codes: `token_invalid`. */
        Error401: {
            headers: {
                /** @description The kind of credentials that is wanted. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example token_invalid
                         * @enum {string}
                         */
                        code?: "token_invalid";
                    }[];
                };
            };
        };
        /** @description The API token does not have the scope of this operation. Codes: `invalid_auth_token_permissions`. */
        Error403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example invalid_auth_token_permissions
                         * @enum {string}
                         */
                        code?: "invalid_auth_token_permissions";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_join_until_date`, `not_a_string`, `invalid_parameter`, `not_a_datetime`, `not_a_boolean`, `not_a_hash`, `not_unique_within_project`, `incompatible_parameters`. */
        Error422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example invalid_join_until_date
                         * @enum {string}
                         */
                        code?: "invalid_join_until_date" | "not_a_string" | "invalid_parameter" | "not_a_datetime" | "not_a_boolean" | "not_a_hash" | "not_unique_within_project" | "incompatible_parameters";
                    }[];
                };
            };
        };
        /** @description Too many requests in this minute, or too many failed sign-ins from this address. Codes: `rate_limit_exceeded`. */
        Error429: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                /** @description Requests in a minute. */
                "RateLimit-Limit"?: number;
                /** @description What is left of them. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until they are all back. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example rate_limit_exceeded
                         * @enum {string}
                         */
                        code?: "rate_limit_exceeded";
                    }[];
                };
            };
        };
        /** @description Something went wrong on the side of the server. It is safe to try again later. Codes: `internal_error_occurred`. */
        Error500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example internal_error_occurred
                         * @enum {string}
                         */
                        code?: "internal_error_occurred";
                    }[];
                };
            };
        };
        /** @description The database or the disk of the server cannot be used now (an addition to the published interface). Try again in a while. Codes: `internal_error_occurred`. */
        Error503: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example internal_error_occurred
                         * @enum {string}
                         */
                        code?: "internal_error_occurred";
                    }[];
                };
            };
        };
        /** @description The request cannot be read, or something required is missing. Codes: `invalid_parameter`, `header_value_too_long`, `cannot_process`. */
        Error400Variant2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example invalid_parameter
                         * @enum {string}
                         */
                        code?: "invalid_parameter" | "header_value_too_long" | "cannot_process";
                    }[];
                };
            };
        };
        /** @description The project has no such thing. What belongs to another project is not there either. Codes: `does_not_exist`, `provided_id_is_unrecognized`. */
        Error404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example does_not_exist
                         * @enum {string}
                         */
                        code?: "does_not_exist" | "provided_id_is_unrecognized";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_boolean`, `invalid_parameter`. */
        Error422Variant2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example not_a_boolean
                         * @enum {string}
                         */
                        code?: "not_a_boolean" | "invalid_parameter";
                    }[];
                };
            };
        };
        /** @description The request cannot be read, or something required is missing. Codes: `not_a_hash`, `not_a_valid_json`, `invalid_content_type`, `character_limit_exceeded`, `invalid_parameter`, `header_value_too_long`, `cannot_process`. */
        Error400Variant3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example not_a_hash
                         * @enum {string}
                         */
                        code?: "not_a_hash" | "not_a_valid_json" | "invalid_content_type" | "character_limit_exceeded" | "invalid_parameter" | "header_value_too_long" | "cannot_process";
                    }[];
                };
            };
        };
        /** @description The project has no such thing. What belongs to another project is not there either. Codes: `provided_id_is_unrecognized`. */
        Error404Variant2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example provided_id_is_unrecognized
                         * @enum {string}
                         */
                        code?: "provided_id_is_unrecognized";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_join_until_date`, `not_a_string`, `invalid_parameter`, `not_a_datetime`, `not_a_boolean`, `not_a_hash`. */
        Error422Variant3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example invalid_join_until_date
                         * @enum {string}
                         */
                        code?: "invalid_join_until_date" | "not_a_string" | "invalid_parameter" | "not_a_datetime" | "not_a_boolean" | "not_a_hash";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `incompatible_parameters`. */
        Error422Variant4: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example not_a_string
                         * @enum {string}
                         */
                        code?: "not_a_string" | "invalid_parameter" | "incompatible_parameters";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `page_token_is_invalid`, `page_token_required`. */
        Error422Variant5: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example not_a_string
                         * @enum {string}
                         */
                        code?: "not_a_string" | "invalid_parameter" | "page_token_is_invalid" | "page_token_required";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_parameter`, `not_a_string`, `page_token_is_invalid`, `page_token_required`. */
        Error422Variant6: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example invalid_parameter
                         * @enum {string}
                         */
                        code?: "invalid_parameter" | "not_a_string" | "page_token_is_invalid" | "page_token_required";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_parameter`. */
        Error422Variant7: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example invalid_parameter
                         * @enum {string}
                         */
                        code?: "invalid_parameter";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_parameter`, `incompatible_parameters`. */
        Error422Variant8: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example invalid_parameter
                         * @enum {string}
                         */
                        code?: "invalid_parameter" | "incompatible_parameters";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `missing_required_parameter`, `not_a_string`, `invalid_parameter`, `url_failed_to_parse`, `url_is_unsafe`, `exceeds_platform_stream_limit`, `incompatible_parameters`. */
        Error422Variant9: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example missing_required_parameter
                         * @enum {string}
                         */
                        code?: "missing_required_parameter" | "not_a_string" | "invalid_parameter" | "url_failed_to_parse" | "url_is_unsafe" | "exceeds_platform_stream_limit" | "incompatible_parameters";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`. */
        Error422Variant10: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example not_a_string
                         * @enum {string}
                         */
                        code?: "not_a_string" | "invalid_parameter";
                    }[];
                };
            };
        };
        /** @description The credentials are missing, wrong or expired. Codes: `token_invalid`, `token_expired`. */
        Error401Variant2: {
            headers: {
                /** @description The kind of credentials that is wanted. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example token_invalid
                         * @enum {string}
                         */
                        code?: "token_invalid" | "token_expired";
                    }[];
                };
            };
        };
        /** @description The request cannot be read, or something required is missing. Codes: `invalid_parameter`. */
        Error400Variant4: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CompatibilityError"] & {
                    /**
                     * @example invalid_parameter
                     * @enum {string}
                     */
                    code?: "invalid_parameter";
                };
            };
        };
        /** @description The credentials are missing, wrong or expired. Codes: `token_invalid`. */
        Error401Variant3: {
            headers: {
                /** @description The kind of credentials that is wanted. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CompatibilityError"] & {
                    /**
                     * @example token_invalid
                     * @enum {string}
                     */
                    code?: "token_invalid";
                };
            };
        };
        /** @description The API token does not have the scope of this operation. Codes: `invalid_auth_token_permissions`. */
        Error403Variant2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CompatibilityError"] & {
                    /**
                     * @example invalid_auth_token_permissions
                     * @enum {string}
                     */
                    code?: "invalid_auth_token_permissions";
                };
            };
        };
        /** @description The project has no such thing. What belongs to another project is not there either. Codes: `provided_id_is_unrecognized`. */
        Error404Variant3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CompatibilityError"] & {
                    /**
                     * @example provided_id_is_unrecognized
                     * @enum {string}
                     */
                    code?: "provided_id_is_unrecognized";
                };
            };
        };
        /** @description Too many requests in this minute, or too many failed sign-ins from this address. Codes: `rate_limit_exceeded`. */
        Error429Variant2: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                /** @description Requests in a minute. */
                "RateLimit-Limit"?: number;
                /** @description What is left of them. */
                "RateLimit-Remaining"?: number;
                /** @description Seconds until they are all back. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CompatibilityError"] & {
                    /**
                     * @example rate_limit_exceeded
                     * @enum {string}
                     */
                    code?: "rate_limit_exceeded";
                };
            };
        };
        /** @description Something went wrong on the side of the server. It is safe to try again later. Codes: `internal_error_occurred`. */
        Error500Variant2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CompatibilityError"] & {
                    /**
                     * @example internal_error_occurred
                     * @enum {string}
                     */
                    code?: "internal_error_occurred";
                };
            };
        };
        /** @description The database or the disk of the server cannot be used now (an addition to the published interface). Try again in a while. Codes: `internal_error_occurred`. */
        Error503Variant2: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CompatibilityError"] & {
                    /**
                     * @example internal_error_occurred
                     * @enum {string}
                     */
                    code?: "internal_error_occurred";
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_state`, `invalid_parameter`, `incompatible_parameters`. */
        Error422Variant11: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example invalid_state
                         * @enum {string}
                         */
                        code?: "invalid_state" | "invalid_parameter" | "incompatible_parameters";
                    }[];
                };
            };
        };
        /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_parameter`, `not_a_hash`, `no_channel_specified`, `channel_size_limit_exceeded`, `channel_name_size_limit_exceeded`, `channel_name_is_reserved`, `not_a_boolean`, `channel_has_missing_properties`, `not_a_string`, `state_size_limit_exceeded`, `incompatible_parameters`. */
        Error422Variant12: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Errors"] & {
                    errors?: {
                        /**
                         * @example invalid_parameter
                         * @enum {string}
                         */
                        code?: "invalid_parameter" | "not_a_hash" | "no_channel_specified" | "channel_size_limit_exceeded" | "channel_name_size_limit_exceeded" | "channel_name_is_reserved" | "not_a_boolean" | "channel_has_missing_properties" | "not_a_string" | "state_size_limit_exceeded" | "incompatible_parameters";
                    }[];
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listRooms: {
        parameters: {
            query?: {
                /** @description Add `active_session`: the session in progress, or null. */
                include_active_session?: boolean;
                /** @description Only rooms whose `join_from` is then or later. */
                starts_after?: string;
                /** @description Only rooms whose `join_until` is then or earlier. */
                ends_before?: string;
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/rooms?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/rooms?page_number=0&page_size=50",
                     *         "next": "/api/video/rooms?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/rooms?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "standup",
                     *           "display_name": "Daily stand-up",
                     *           "description": "Fifteen minutes, every morning.",
                     *           "max_members": 20,
                     *           "quality": "720p",
                     *           "fps": 20,
                     *           "join_from": "2030-01-31T09:30:00Z",
                     *           "join_until": "2030-01-31T10:30:00Z",
                     *           "remove_at": "2030-01-31T11:00:00Z",
                     *           "remove_after_seconds_elapsed": 3600,
                     *           "layout": "grid-responsive",
                     *           "record_on_start": true,
                     *           "tone_on_entry_and_exit": true,
                     *           "room_join_video_off": true,
                     *           "user_join_video_off": true,
                     *           "enable_room_previews": true,
                     *           "enable_hls": true,
                     *           "sync_audio_video": true,
                     *           "prioritize_handraise": true,
                     *           "name_labels": true,
                     *           "waiting_room": true,
                     *           "recording_retention_days": 90,
                     *           "meta": {
                     *             "customer": 42
                     *           },
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "updated_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RoomPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_boolean`, `not_a_datetime`, `invalid_parameter`, `not_a_string`, `page_token_is_invalid`, `page_token_required`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_boolean
                             * @enum {string}
                             */
                            code?: "not_a_boolean" | "not_a_datetime" | "invalid_parameter" | "not_a_string" | "page_token_is_invalid" | "page_token_required";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createRoom: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A new room. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "standup",
                 *       "display_name": "Daily stand-up",
                 *       "max_members": 12,
                 *       "record_on_start": true
                 *     }
                 */
                "application/json": components["schemas"]["CreateRoom"];
            };
        };
        responses: {
            /** @description A room: where sessions take place. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "standup",
                     *       "display_name": "Daily stand-up",
                     *       "description": "Fifteen minutes, every morning.",
                     *       "max_members": 20,
                     *       "quality": "720p",
                     *       "fps": 20,
                     *       "join_from": "2030-01-31T09:30:00Z",
                     *       "join_until": "2030-01-31T10:30:00Z",
                     *       "remove_at": "2030-01-31T11:00:00Z",
                     *       "remove_after_seconds_elapsed": 3600,
                     *       "layout": "grid-responsive",
                     *       "record_on_start": true,
                     *       "tone_on_entry_and_exit": true,
                     *       "room_join_video_off": true,
                     *       "user_join_video_off": true,
                     *       "enable_room_previews": true,
                     *       "enable_hls": true,
                     *       "sync_audio_video": true,
                     *       "prioritize_handraise": true,
                     *       "name_labels": true,
                     *       "waiting_room": true,
                     *       "recording_retention_days": 90,
                     *       "meta": {
                     *         "customer": 42
                     *       },
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Room"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getRoom: {
        parameters: {
            query?: {
                /** @description Add `active_session`: the session in progress, or null. */
                include_active_session?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the room, or its name.
                 * @example standup
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A room: where sessions take place. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "standup",
                     *       "display_name": "Daily stand-up",
                     *       "description": "Fifteen minutes, every morning.",
                     *       "max_members": 20,
                     *       "quality": "720p",
                     *       "fps": 20,
                     *       "join_from": "2030-01-31T09:30:00Z",
                     *       "join_until": "2030-01-31T10:30:00Z",
                     *       "remove_at": "2030-01-31T11:00:00Z",
                     *       "remove_after_seconds_elapsed": 3600,
                     *       "layout": "grid-responsive",
                     *       "record_on_start": true,
                     *       "tone_on_entry_and_exit": true,
                     *       "room_join_video_off": true,
                     *       "user_join_video_off": true,
                     *       "enable_room_previews": true,
                     *       "enable_hls": true,
                     *       "sync_audio_video": true,
                     *       "prioritize_handraise": true,
                     *       "name_labels": true,
                     *       "waiting_room": true,
                     *       "recording_retention_days": 90,
                     *       "meta": {
                     *         "customer": 42
                     *       },
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Room"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateRoom: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Changes to a room. A field that is absent keeps its value; null resets it to its default. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "display_name": "Weekly stand-up",
                 *       "max_members": 30,
                 *       "description": null
                 *     }
                 */
                "application/json": components["schemas"]["UpdateRoom"];
            };
        };
        responses: {
            /** @description A room: where sessions take place. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "standup",
                     *       "display_name": "Daily stand-up",
                     *       "description": "Fifteen minutes, every morning.",
                     *       "max_members": 20,
                     *       "quality": "720p",
                     *       "fps": 20,
                     *       "join_from": "2030-01-31T09:30:00Z",
                     *       "join_until": "2030-01-31T10:30:00Z",
                     *       "remove_at": "2030-01-31T11:00:00Z",
                     *       "remove_after_seconds_elapsed": 3600,
                     *       "layout": "grid-responsive",
                     *       "record_on_start": true,
                     *       "tone_on_entry_and_exit": true,
                     *       "room_join_video_off": true,
                     *       "user_join_video_off": true,
                     *       "enable_room_previews": true,
                     *       "enable_hls": true,
                     *       "sync_audio_video": true,
                     *       "prioritize_handraise": true,
                     *       "name_labels": true,
                     *       "waiting_room": true,
                     *       "recording_retention_days": 90,
                     *       "meta": {
                     *         "customer": 42
                     *       },
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Room"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant3"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deleteRoom: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createRoomToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description What one user may do in one room. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "room_name": "standup",
                 *       "user_name": "Ada",
                 *       "permissions": [
                 *         "room.self.audio_mute",
                 *         "room.self.audio_unmute",
                 *         "room.self.video_mute",
                 *         "room.self.video_unmute",
                 *         "room.self.deaf",
                 *         "room.self.undeaf",
                 *         "room.self.set_input_volume",
                 *         "room.self.set_output_volume",
                 *         "room.self.set_input_sensitivity",
                 *         "room.self.screenshare",
                 *         "room.self.additional_source",
                 *         "room.recording"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateRoomToken"];
            };
        };
        responses: {
            /** @description A room token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJIUzI1NiIsImNoIjoibWVldC5leGFtcGxlLm9yZyJ9.eyJyIjoic3RhbmR1cCJ9.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["RoomToken"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_join_until_date`, `not_a_string`, `invalid_parameter`, `not_an_array_of_strings`, `list_contains_invalid_entries`, `not_a_datetime`, `not_a_boolean`, `not_a_hash`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example invalid_join_until_date
                             * @enum {string}
                             */
                            code?: "invalid_join_until_date" | "not_a_string" | "invalid_parameter" | "not_an_array_of_strings" | "list_contains_invalid_entries" | "not_a_datetime" | "not_a_boolean" | "not_a_hash" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    revokeRoomToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which room token is to be void: the token or its id. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01b2c3d4-e5f6-8a7b-9c8d-7e6f5a4b3c2d"
                 *     }
                 */
                "application/json": components["schemas"]["RevokeRoomToken"];
            };
        };
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant4"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listRoomSessions: {
        parameters: {
            query?: {
                /**
                 * @description Only sessions started from this room.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                room_id?: string;
                /**
                 * @description Only sessions of exactly this name.
                 * @example standup
                 */
                room_name?: string;
                /**
                 * @description Only sessions whose name contains this.
                 * @example stand
                 */
                room_name_matches?: string;
                /** @description Only sessions in this status. */
                status?: "in-progress" | "completed";
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/room_sessions?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/room_sessions?page_number=0&page_size=50",
                     *         "next": "/api/video/room_sessions?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/room_sessions?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "standup",
                     *           "display_name": "Daily stand-up",
                     *           "max_members": 20,
                     *           "quality": "720p",
                     *           "fps": 20,
                     *           "join_from": "2030-01-31T09:30:00Z",
                     *           "join_until": "2030-01-31T10:30:00Z",
                     *           "remove_at": "2030-01-31T11:00:00Z",
                     *           "remove_after_seconds_elapsed": 3600,
                     *           "layout": "grid-responsive",
                     *           "record_on_start": true,
                     *           "tone_on_entry_and_exit": true,
                     *           "room_join_video_off": true,
                     *           "user_join_video_off": true,
                     *           "enable_hls": true,
                     *           "sync_audio_video": true,
                     *           "prioritize_handraise": true,
                     *           "name_labels": true,
                     *           "waiting_room": true,
                     *           "start_time": "2030-01-31T09:30:00Z",
                     *           "end_time": "2030-01-31T09:42:14Z",
                     *           "duration": 734,
                     *           "status": "in-progress",
                     *           "preview_url": "https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8",
                     *           "hls_url": "https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/hls/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112/mN3xkUq8/index.m3u8",
                     *           "locked": true,
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "updated_at": "2030-01-31T09:30:00Z",
                     *           "enable_room_previews": true,
                     *           "cost_in_dollars": 0.024,
                     *           "locked_cover": "https://example.org/locked.png"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListedRoomSessionPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant5"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getRoomSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A running or finished instance of a room. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "standup",
                     *       "display_name": "Daily stand-up",
                     *       "max_members": 20,
                     *       "quality": "720p",
                     *       "fps": 20,
                     *       "join_from": "2030-01-31T09:30:00Z",
                     *       "join_until": "2030-01-31T10:30:00Z",
                     *       "remove_at": "2030-01-31T11:00:00Z",
                     *       "remove_after_seconds_elapsed": 3600,
                     *       "layout": "grid-responsive",
                     *       "record_on_start": true,
                     *       "tone_on_entry_and_exit": true,
                     *       "room_join_video_off": true,
                     *       "user_join_video_off": true,
                     *       "enable_hls": true,
                     *       "sync_audio_video": true,
                     *       "prioritize_handraise": true,
                     *       "name_labels": true,
                     *       "waiting_room": true,
                     *       "start_time": "2030-01-31T09:30:00Z",
                     *       "end_time": "2030-01-31T09:42:14Z",
                     *       "duration": 734,
                     *       "status": "in-progress",
                     *       "preview_url": "https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8",
                     *       "hls_url": "https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/hls/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112/mN3xkUq8/index.m3u8",
                     *       "locked": true,
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RoomSession"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listRoomSessionMembers: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/members?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/members?page_number=0&page_size=50",
                     *         "next": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/members?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/members?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "Ada",
                     *           "join_time": "2030-01-31T09:30:00Z",
                     *           "leave_time": "2030-01-31T09:42:14Z",
                     *           "duration": 734,
                     *           "cost_in_dollars": 0.024
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionMemberPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listRoomSessionEvents: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/events?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/events?page_number=0&page_size=50",
                     *         "next": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/events?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/events?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "project_id": "6f1f2c9e-5a60-4c8e-9d0e-2b6a54a9a001",
                     *           "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_recording_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_participant_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "level": "info",
                     *           "name": "room.started",
                     *           "payload": {
                     *             "reason": "left"
                     *           },
                     *           "created_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listRoomSessionRecordings: {
        parameters: {
            query?: {
                /** @description Seconds for which the media link in `uri` is valid; 0 gives a link that has expired already. */
                media_ttl?: number;
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/recordings?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/recordings?page_number=0&page_size=50",
                     *         "next": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/recordings?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/recordings?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "status": "recording",
                     *           "started_at": "2030-01-31T09:30:00Z",
                     *           "finished_at": "2030-01-31T09:30:00Z",
                     *           "duration": 734,
                     *           "size_in_bytes": 8123456,
                     *           "format": "video/mp4",
                     *           "cost_in_dollars": 0.024,
                     *           "uri": "https://meet.example.org/media/9d3f2c50/recordings/0c8f1c2b.mp4?expires=1896082200&signature=c2lnbmF0dXJl",
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "updated_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RoomRecordingPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listRoomRecordings: {
        parameters: {
            query?: {
                /** @description Seconds for which the media link in `uri` is valid; 0 gives a link that has expired already. */
                media_ttl?: number;
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/room_recordings?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/room_recordings?page_number=0&page_size=50",
                     *         "next": "/api/video/room_recordings?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/room_recordings?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "status": "recording",
                     *           "started_at": "2030-01-31T09:30:00Z",
                     *           "finished_at": "2030-01-31T09:30:00Z",
                     *           "duration": 734,
                     *           "size_in_bytes": 8123456,
                     *           "format": "video/mp4",
                     *           "cost_in_dollars": 0.024,
                     *           "uri": "https://meet.example.org/media/9d3f2c50/recordings/0c8f1c2b.mp4?expires=1896082200&signature=c2lnbmF0dXJl",
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "updated_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RoomRecordingPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getRoomRecording: {
        parameters: {
            query?: {
                /** @description Seconds for which the media link in `uri` is valid; 0 gives a link that has expired already. */
                media_ttl?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A recording of a room session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "status": "recording",
                     *       "started_at": "2030-01-31T09:30:00Z",
                     *       "finished_at": "2030-01-31T09:30:00Z",
                     *       "duration": 734,
                     *       "size_in_bytes": 8123456,
                     *       "format": "video/mp4",
                     *       "cost_in_dollars": 0.024,
                     *       "uri": "https://meet.example.org/media/9d3f2c50/recordings/0c8f1c2b.mp4?expires=1896082200&signature=c2lnbmF0dXJl",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RoomRecording"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant7"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deleteRoomRecording: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_state`, `invalid_parameter`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example invalid_state
                             * @enum {string}
                             */
                            code?: "invalid_state" | "invalid_parameter";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listRoomRecordingEvents: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/room_recordings/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/events?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/room_recordings/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/events?page_number=0&page_size=50",
                     *         "next": "/api/video/room_recordings/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/events?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/room_recordings/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/events?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "project_id": "6f1f2c9e-5a60-4c8e-9d0e-2b6a54a9a001",
                     *           "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_recording_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_participant_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "level": "info",
                     *           "name": "room.started",
                     *           "payload": {
                     *             "reason": "left"
                     *           },
                     *           "created_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getRecordingRetention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How long recordings are kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "days": 90
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingRetention"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    setRecordingRetention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "days": 90
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Recordings are deleted so many days after they were finished; null keeps them for ever.
                     * @example 90
                     */
                    days?: number | null;
                };
            };
        };
        responses: {
            /** @description How long recordings are kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "days": 90
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingRetention"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant7"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getRecordingQuota: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How much room recordings may take. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "quota_in_bytes": 500000000000,
                     *       "used_in_bytes": 123456789,
                     *       "recordings": 42
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingQuota"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    setRecordingQuota: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "quota_in_bytes": 500000000000
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Bytes that all recordings may take together; null for as much as there is room for.
                     * @example 500000000000
                     */
                    quota_in_bytes?: number | null;
                };
            };
        };
        responses: {
            /** @description How much room recordings may take. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "quota_in_bytes": 500000000000,
                     *       "used_in_bytes": 123456789,
                     *       "recordings": 42
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingQuota"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant7"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listRecordingShares: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links of a recording that have not expired. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "expires_at": "2030-01-31T09:30:00Z",
                     *           "created_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingShares"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createRecordingShare: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expires_in_seconds": 86400
                 *     }
                 */
                "application/json": {
                    /**
                     * @description For how long the link works.
                     * @example 86400
                     */
                    expires_in_seconds: number;
                };
            };
        };
        responses: {
            /** @description A new link, with its address. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "expires_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "uri": "https://meet.example.org/media/shared/recording.mp4?key=6c62e4a9f0d1b35a"
                     *     }
                     */
                    "application/json": components["schemas"]["FreshRecordingShare"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_parameter`, `invalid_state`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example invalid_parameter
                             * @enum {string}
                             */
                            code?: "invalid_parameter" | "invalid_state" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    revokeRecordingShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the recording.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
                /**
                 * @description Id of the link.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                share_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listConferences: {
        parameters: {
            query?: {
                /** @description Add `active_session`: the session in progress, or null. */
                include_active_session?: boolean;
                /** @description Only conferences whose `join_from` is then or later. */
                starts_after?: string;
                /** @description Only conferences whose `join_until` is then or earlier. */
                ends_before?: string;
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/conferences?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/conferences?page_number=0&page_size=50",
                     *         "next": "/api/video/conferences?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/conferences?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "town-hall",
                     *           "display_name": "Town hall",
                     *           "description": "Everybody, once a quarter.",
                     *           "quality": "720p",
                     *           "join_from": "2030-01-31T09:30:00Z",
                     *           "join_until": "2030-01-31T10:30:00Z",
                     *           "remove_at": "2030-01-31T11:00:00Z",
                     *           "layout": "grid-responsive",
                     *           "record_on_start": true,
                     *           "tone_on_entry_and_exit": true,
                     *           "room_join_video_off": true,
                     *           "user_join_video_off": true,
                     *           "enable_room_previews": true,
                     *           "enable_hls": true,
                     *           "name_labels": true,
                     *           "waiting_room": true,
                     *           "recording_retention_days": 90,
                     *           "meta": {
                     *             "customer": 42
                     *           },
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "updated_at": "2030-01-31T09:30:00Z",
                     *           "size": "medium",
                     *           "enable_chat": true,
                     *           "public_look": true,
                     *           "dark_primary": "#044EF4",
                     *           "dark_background": "#FFFFFF",
                     *           "dark_foreground": "#1D2127",
                     *           "dark_success": "#17BB58",
                     *           "dark_negative": "#F42C50",
                     *           "light_primary": "#044EF4",
                     *           "light_background": "#FFFFFF",
                     *           "light_foreground": "#1D2127",
                     *           "light_success": "#17BB58",
                     *           "light_negative": "#F42C50"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConferencePage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_boolean`, `not_a_datetime`, `not_a_string`, `invalid_parameter`, `page_token_is_invalid`, `page_token_required`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_boolean
                             * @enum {string}
                             */
                            code?: "not_a_boolean" | "not_a_datetime" | "not_a_string" | "invalid_parameter" | "page_token_is_invalid" | "page_token_required";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createConference: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A new conference. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "town-hall",
                 *       "display_name": "Town hall",
                 *       "size": "large",
                 *       "dark_primary": "#0B6E4F"
                 *     }
                 */
                "application/json": components["schemas"]["CreateConference"];
            };
        };
        responses: {
            /** @description A room with a theme, a size and tokens of its own. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "town-hall",
                     *       "display_name": "Town hall",
                     *       "description": "Everybody, once a quarter.",
                     *       "quality": "720p",
                     *       "join_from": "2030-01-31T09:30:00Z",
                     *       "join_until": "2030-01-31T10:30:00Z",
                     *       "remove_at": "2030-01-31T11:00:00Z",
                     *       "layout": "grid-responsive",
                     *       "record_on_start": true,
                     *       "tone_on_entry_and_exit": true,
                     *       "room_join_video_off": true,
                     *       "user_join_video_off": true,
                     *       "enable_room_previews": true,
                     *       "enable_hls": true,
                     *       "name_labels": true,
                     *       "waiting_room": true,
                     *       "recording_retention_days": 90,
                     *       "meta": {
                     *         "customer": 42
                     *       },
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "size": "medium",
                     *       "enable_chat": true,
                     *       "public_look": true,
                     *       "dark_primary": "#044EF4",
                     *       "dark_background": "#FFFFFF",
                     *       "dark_foreground": "#1D2127",
                     *       "dark_success": "#17BB58",
                     *       "dark_negative": "#F42C50",
                     *       "light_primary": "#044EF4",
                     *       "light_background": "#FFFFFF",
                     *       "light_foreground": "#1D2127",
                     *       "light_success": "#17BB58",
                     *       "light_negative": "#F42C50"
                     *     }
                     */
                    "application/json": components["schemas"]["Conference"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getConference: {
        parameters: {
            query?: {
                /** @description Add `active_session`: the session in progress, or null. */
                include_active_session?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A room with a theme, a size and tokens of its own. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "town-hall",
                     *       "display_name": "Town hall",
                     *       "description": "Everybody, once a quarter.",
                     *       "quality": "720p",
                     *       "join_from": "2030-01-31T09:30:00Z",
                     *       "join_until": "2030-01-31T10:30:00Z",
                     *       "remove_at": "2030-01-31T11:00:00Z",
                     *       "layout": "grid-responsive",
                     *       "record_on_start": true,
                     *       "tone_on_entry_and_exit": true,
                     *       "room_join_video_off": true,
                     *       "user_join_video_off": true,
                     *       "enable_room_previews": true,
                     *       "enable_hls": true,
                     *       "name_labels": true,
                     *       "waiting_room": true,
                     *       "recording_retention_days": 90,
                     *       "meta": {
                     *         "customer": 42
                     *       },
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "size": "medium",
                     *       "enable_chat": true,
                     *       "public_look": true,
                     *       "dark_primary": "#044EF4",
                     *       "dark_background": "#FFFFFF",
                     *       "dark_foreground": "#1D2127",
                     *       "dark_success": "#17BB58",
                     *       "dark_negative": "#F42C50",
                     *       "light_primary": "#044EF4",
                     *       "light_background": "#FFFFFF",
                     *       "light_foreground": "#1D2127",
                     *       "light_success": "#17BB58",
                     *       "light_negative": "#F42C50"
                     *     }
                     */
                    "application/json": components["schemas"]["Conference"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateConference: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Changes to a conference. A field that is absent keeps its value; null resets it to its default. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "display_name": "Town hall of May",
                 *       "enable_chat": false,
                 *       "dark_primary": null
                 *     }
                 */
                "application/json": components["schemas"]["UpdateConference"];
            };
        };
        responses: {
            /** @description A room with a theme, a size and tokens of its own. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "town-hall",
                     *       "display_name": "Town hall",
                     *       "description": "Everybody, once a quarter.",
                     *       "quality": "720p",
                     *       "join_from": "2030-01-31T09:30:00Z",
                     *       "join_until": "2030-01-31T10:30:00Z",
                     *       "remove_at": "2030-01-31T11:00:00Z",
                     *       "layout": "grid-responsive",
                     *       "record_on_start": true,
                     *       "tone_on_entry_and_exit": true,
                     *       "room_join_video_off": true,
                     *       "user_join_video_off": true,
                     *       "enable_room_previews": true,
                     *       "enable_hls": true,
                     *       "name_labels": true,
                     *       "waiting_room": true,
                     *       "recording_retention_days": 90,
                     *       "meta": {
                     *         "customer": 42
                     *       },
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "size": "medium",
                     *       "enable_chat": true,
                     *       "public_look": true,
                     *       "dark_primary": "#044EF4",
                     *       "dark_background": "#FFFFFF",
                     *       "dark_foreground": "#1D2127",
                     *       "dark_success": "#17BB58",
                     *       "dark_negative": "#F42C50",
                     *       "light_primary": "#044EF4",
                     *       "light_background": "#FFFFFF",
                     *       "light_foreground": "#1D2127",
                     *       "light_success": "#17BB58",
                     *       "light_negative": "#F42C50"
                     *     }
                     */
                    "application/json": components["schemas"]["Conference"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant3"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deleteConference: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listConferenceTokens: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/conferences/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/conference_tokens?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/conferences/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/conference_tokens?page_number=0&page_size=50",
                     *         "next": "/api/video/conferences/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/conference_tokens?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/conferences/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/conference_tokens?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "guest",
                     *           "token": "vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813",
                     *           "url": "https://meet.example.org/c/town-hall#vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813",
                     *           "scopes": [
                     *             "room.self.audio_mute",
                     *             "room.self.audio_unmute"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConferenceTokenPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getConferenceToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A secret that lets into a conference until it is reset. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "guest",
                     *       "token": "vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813",
                     *       "url": "https://meet.example.org/c/town-hall#vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813",
                     *       "scopes": [
                     *         "room.self.audio_mute",
                     *         "room.self.audio_unmute"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConferenceToken"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    resetConferenceToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A secret that lets into a conference until it is reset. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "guest",
                     *       "token": "vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813",
                     *       "url": "https://meet.example.org/c/town-hall#vpt_0f6c3b2d9a8e47d1b5c04a7e6f92d813",
                     *       "scopes": [
                     *         "room.self.audio_mute",
                     *         "room.self.audio_unmute"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConferenceToken"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant8"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getEmbedding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who may embed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "origins": [
                     *         "https://shop.example",
                     *         "https://*.shop.example"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Embedding"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    setEmbedding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "origins": [
                 *         "https://shop.example",
                 *         "https://*.shop.example"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Origins of pages that may embed: scheme, host, and the port unless it is the usual one. `*.` before the host means all hosts below it. Only `localhost` may do without HTTPS.
                     * @example [
                     *       "https://shop.example",
                     *       "https://*.shop.example"
                     *     ]
                     */
                    origins: string[];
                };
            };
        };
        responses: {
            /** @description Who may embed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "origins": [
                     *         "https://shop.example",
                     *         "https://*.shop.example"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Embedding"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_an_array_of_strings`, `invalid_parameter`, `list_contains_invalid_entries`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_an_array_of_strings
                             * @enum {string}
                             */
                            code?: "not_an_array_of_strings" | "invalid_parameter" | "list_contains_invalid_entries";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listRoomStreams: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/rooms/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/streams?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/rooms/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/streams?page_number=0&page_size=50",
                     *         "next": "/api/video/rooms/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/streams?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/rooms/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/streams?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "url": "rtmps://live.example.com/app/key",
                     *           "stream_type": "rtmp",
                     *           "width": 1280,
                     *           "height": 720,
                     *           "fps": 20,
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "updated_at": "2030-01-31T09:30:00Z",
                     *           "status": "waiting",
                     *           "live_since": "2030-01-31T09:30:00Z",
                     *           "retrying_since": "2030-01-31T09:30:00Z",
                     *           "last_error": "address_refused"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StreamPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createRoomStream: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Where a stream goes. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "rtmps://live.example.com/app/key"
                 *     }
                 */
                "application/json": components["schemas"]["StreamTarget"];
            };
        };
        responses: {
            /** @description Where picture and sound of a room or conference go. It starts when a session is in progress and stops with it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "url": "rtmps://live.example.com/app/key",
                     *       "stream_type": "rtmp",
                     *       "width": 1280,
                     *       "height": 720,
                     *       "fps": 20,
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "status": "waiting",
                     *       "live_since": "2030-01-31T09:30:00Z",
                     *       "retrying_since": "2030-01-31T09:30:00Z",
                     *       "last_error": "address_refused"
                     *     }
                     */
                    "application/json": components["schemas"]["Stream"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant9"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listConferenceStreams: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/conferences/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/streams?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/conferences/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/streams?page_number=0&page_size=50",
                     *         "next": "/api/video/conferences/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/streams?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/conferences/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/streams?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "url": "rtmps://live.example.com/app/key",
                     *           "stream_type": "rtmp",
                     *           "width": 1280,
                     *           "height": 720,
                     *           "fps": 20,
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "updated_at": "2030-01-31T09:30:00Z",
                     *           "status": "waiting",
                     *           "live_since": "2030-01-31T09:30:00Z",
                     *           "retrying_since": "2030-01-31T09:30:00Z",
                     *           "last_error": "address_refused"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StreamPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createConferenceStream: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Where a stream goes. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "rtmps://live.example.com/app/key"
                 *     }
                 */
                "application/json": components["schemas"]["StreamTarget"];
            };
        };
        responses: {
            /** @description Where picture and sound of a room or conference go. It starts when a session is in progress and stops with it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "url": "rtmps://live.example.com/app/key",
                     *       "stream_type": "rtmp",
                     *       "width": 1280,
                     *       "height": 720,
                     *       "fps": 20,
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "status": "waiting",
                     *       "live_since": "2030-01-31T09:30:00Z",
                     *       "retrying_since": "2030-01-31T09:30:00Z",
                     *       "last_error": "address_refused"
                     *     }
                     */
                    "application/json": components["schemas"]["Stream"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant9"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where picture and sound of a room or conference go. It starts when a session is in progress and stops with it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "url": "rtmps://live.example.com/app/key",
                     *       "stream_type": "rtmp",
                     *       "width": 1280,
                     *       "height": 720,
                     *       "fps": 20,
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "status": "waiting",
                     *       "live_since": "2030-01-31T09:30:00Z",
                     *       "retrying_since": "2030-01-31T09:30:00Z",
                     *       "last_error": "address_refused"
                     *     }
                     */
                    "application/json": components["schemas"]["Stream"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Where a stream goes. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "rtmps://live.example.com/app/key"
                 *     }
                 */
                "application/json": components["schemas"]["StreamTarget"];
            };
        };
        responses: {
            /** @description Where picture and sound of a room or conference go. It starts when a session is in progress and stops with it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "url": "rtmps://live.example.com/app/key",
                     *       "stream_type": "rtmp",
                     *       "width": 1280,
                     *       "height": 720,
                     *       "fps": 20,
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "status": "waiting",
                     *       "live_since": "2030-01-31T09:30:00Z",
                     *       "retrying_since": "2030-01-31T09:30:00Z",
                     *       "last_error": "address_refused"
                     *     }
                     */
                    "application/json": components["schemas"]["Stream"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `missing_required_parameter`, `not_a_string`, `invalid_parameter`, `url_failed_to_parse`, `url_is_unsafe`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example missing_required_parameter
                             * @enum {string}
                             */
                            code?: "missing_required_parameter" | "not_a_string" | "invalid_parameter" | "url_failed_to_parse" | "url_is_unsafe";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deleteStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/webhooks?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/webhooks?page_number=0&page_size=50",
                     *         "next": "/api/video/webhooks?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/webhooks?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "url": "https://hooks.example.com/parley",
                     *           "description": "Billing",
                     *           "events": [
                     *             "room.*",
                     *             "recording.completed"
                     *           ],
                     *           "enabled": true,
                     *           "disabled_reason": "gone",
                     *           "failing_since": "2030-01-31T09:30:00Z",
                     *           "previous_secret_expires_at": "2030-01-31T09:30:00Z",
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "updated_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A new webhook. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/parley",
                 *       "events": [
                 *         "recording.completed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description A webhook with its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "url": "https://hooks.example.com/parley",
                     *       "description": "Billing",
                     *       "events": [
                     *         "room.*",
                     *         "recording.completed"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_reason": "gone",
                     *       "failing_since": "2030-01-31T09:30:00Z",
                     *       "previous_secret_expires_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                     *     }
                     */
                    "application/json": components["schemas"]["FreshWebhook"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `not_an_array_of_strings`, `list_contains_invalid_entries`, `not_a_boolean`, `url_failed_to_parse`, `url_is_unsafe`, `account_limit_exceeded`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "not_an_array_of_strings" | "list_contains_invalid_entries" | "not_a_boolean" | "url_failed_to_parse" | "url_is_unsafe" | "account_limit_exceeded" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An address of the project to which its events are sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "url": "https://hooks.example.com/parley",
                     *       "description": "Billing",
                     *       "events": [
                     *         "room.*",
                     *         "recording.completed"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_reason": "gone",
                     *       "failing_since": "2030-01-31T09:30:00Z",
                     *       "previous_secret_expires_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Changes to a webhook. A field that is absent keeps its value; null resets it to its default. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": null,
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWebhook"];
            };
        };
        responses: {
            /** @description An address of the project to which its events are sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "url": "https://hooks.example.com/parley",
                     *       "description": "Billing",
                     *       "events": [
                     *         "room.*",
                     *         "recording.completed"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_reason": "gone",
                     *       "failing_since": "2030-01-31T09:30:00Z",
                     *       "previous_secret_expires_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `not_an_array_of_strings`, `list_contains_invalid_entries`, `not_a_boolean`, `url_failed_to_parse`, `url_is_unsafe`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "not_an_array_of_strings" | "list_contains_invalid_entries" | "not_a_boolean" | "url_failed_to_parse" | "url_is_unsafe";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description How the old secret ends. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["RotateWebhookSecret"];
            };
        };
        responses: {
            /** @description A webhook with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "url": "https://hooks.example.com/parley",
                     *       "description": "Billing",
                     *       "events": [
                     *         "room.*",
                     *         "recording.completed"
                     *       ],
                     *       "enabled": true,
                     *       "disabled_reason": "gone",
                     *       "failing_since": "2030-01-31T09:30:00Z",
                     *       "previous_secret_expires_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                     *     }
                     */
                    "application/json": components["schemas"]["FreshWebhook"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant8"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Only deliveries that have come so far. */
                status?: "pending" | "delivered" | "failed";
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/webhooks/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/deliveries?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/webhooks/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/deliveries?page_number=0&page_size=50",
                     *         "next": "/api/video/webhooks/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/deliveries?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/webhooks/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/deliveries?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "webhook_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "event_name": "room.started",
                     *           "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "sequence": 3,
                     *           "status": "delivered",
                     *           "attempts": 1,
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "finished_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant5"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the webhook.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
                /**
                 * @description Id of the delivery.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A delivery with all of its attempts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "webhook_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "event_name": "room.started",
                     *       "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "sequence": 3,
                     *       "status": "delivered",
                     *       "attempts": 1,
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "finished_at": "2030-01-31T09:30:00Z",
                     *       "log": [
                     *         {
                     *           "attempted_at": "2030-01-31T09:30:00Z",
                     *           "duration_ms": 120,
                     *           "response_status": 500,
                     *           "response_body": "database is down",
                     *           "error": "the connection was refused",
                     *           "next_attempt_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryWithLog"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the webhook.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
                /**
                 * @description Id of the delivery.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event on its way to one webhook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "webhook_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "event_name": "room.started",
                     *       "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "sequence": 3,
                     *       "status": "delivered",
                     *       "attempts": 1,
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "finished_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant8"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Which deliveries are sent again. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2030-01-31T09:30:00Z",
                 *       "until": "2030-01-31T09:30:00Z",
                 *       "status": "failed"
                 *     }
                 */
                "application/json": components["schemas"]["ReplayWebhook"];
            };
        };
        responses: {
            /** @description What is sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayed": 12,
                     *       "continue_since": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_datetime`, `not_a_string`, `invalid_parameter`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_datetime
                             * @enum {string}
                             */
                            code?: "not_a_datetime" | "not_a_string" | "invalid_parameter" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listVideoLogs: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/video/logs?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/video/logs?page_number=0&page_size=50",
                     *         "next": "/api/video/logs?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/video/logs?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "source": "realtime_api",
                     *           "type": "video_room_session",
                     *           "url": "https://meet.example.org/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_name": "standup",
                     *           "status": "completed",
                     *           "locked": true,
                     *           "started_at": "2030-01-31T09:30:00Z",
                     *           "ended_at": "2030-01-31T09:30:00Z",
                     *           "charge": 0.024,
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "charge_details": [
                     *             {
                     *               "description": "Member minutes",
                     *               "charge": 0.024
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["VideoLogPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getVideoLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that took place. No part of it is charged in another entry too. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "source": "realtime_api",
                     *       "type": "video_room_session",
                     *       "url": "https://meet.example.org/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "room_name": "standup",
                     *       "status": "completed",
                     *       "locked": true,
                     *       "started_at": "2030-01-31T09:30:00Z",
                     *       "ended_at": "2030-01-31T09:30:00Z",
                     *       "charge": 0.024,
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "charge_details": [
                     *         {
                     *           "description": "Member minutes",
                     *           "charge": 0.024
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["VideoLog"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a conference token invites to, for the page on which people join. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "town-hall",
                     *       "display_name": "Town hall",
                     *       "description": "Everybody, once a quarter.",
                     *       "join_from": "2030-01-31T09:30:00Z",
                     *       "join_until": "2030-01-31T10:30:00Z",
                     *       "waiting_room": true,
                     *       "size": "medium",
                     *       "enable_chat": true,
                     *       "dark_primary": "#044EF4",
                     *       "dark_background": "#FFFFFF",
                     *       "dark_foreground": "#1D2127",
                     *       "dark_success": "#17BB58",
                     *       "dark_negative": "#F42C50",
                     *       "light_primary": "#044EF4",
                     *       "light_background": "#FFFFFF",
                     *       "light_foreground": "#1D2127",
                     *       "light_success": "#17BB58",
                     *       "light_negative": "#F42C50",
                     *       "state": "open",
                     *       "now": "2030-01-31T09:30:00Z",
                     *       "role": "guest"
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getConferenceLook: {
        parameters: {
            query: {
                /**
                 * @description Its project: names are unique within one.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                project_id: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of the conference.
                 * @example town-hall
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A conference from outside, for everybody who knows its name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "town-hall",
                     *       "display_name": "Town hall",
                     *       "description": "Everybody, once a quarter.",
                     *       "join_from": "2030-01-31T09:30:00Z",
                     *       "join_until": "2030-01-31T10:30:00Z",
                     *       "waiting_room": true,
                     *       "size": "medium",
                     *       "enable_chat": true,
                     *       "dark_primary": "#044EF4",
                     *       "dark_background": "#FFFFFF",
                     *       "dark_foreground": "#1D2127",
                     *       "dark_success": "#17BB58",
                     *       "dark_negative": "#F42C50",
                     *       "light_primary": "#044EF4",
                     *       "light_background": "#FFFFFF",
                     *       "light_foreground": "#1D2127",
                     *       "light_success": "#17BB58",
                     *       "light_negative": "#F42C50",
                     *       "state": "open",
                     *       "now": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConferenceLook"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422Variant10"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createSubscriberToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Whom the tokens are for. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference": "ada@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["CreateSubscriberToken"];
            };
        };
        responses: {
            /** @description Tokens of a subscriber. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscriber_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl",
                     *       "refresh_token": "eyJhbGciOiJIUzI1NiJ9.eyJyZWYiOiJhZGEifQ.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriberTokens"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant4"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    revokeSubscriberTokens: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Whose tokens are to be void: one of the two. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reference": "ada@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["RevokeSubscriberTokens"];
            };
        };
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `missing_required_parameter`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "missing_required_parameter" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    refreshSubscriberToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description What to renew. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "eyJhbGciOiJIUzI1NiJ9.eyJyZWYiOiJhZGEifQ.c2lnbmF0dXJl"
                 *     }
                 */
                "application/json": components["schemas"]["RefreshSubscriberToken"];
            };
        };
        responses: {
            /** @description New tokens of a subscriber. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl",
                     *       "refresh_token": "eyJhbGciOiJIUzI1NiJ9.eyJyZWYiOiJhZGEifQ.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["RefreshedTokens"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401Variant2"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `not_a_refresh_token`, `token_expired`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "not_a_refresh_token" | "token_expired" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createGuestToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description What a guest may see. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "allowed_addresses": [
                 *         "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11"
                 *       ],
                 *       "expire_at": 1893456000
                 *     }
                 */
                "application/json": components["schemas"]["CreateGuestToken"];
            };
        };
        responses: {
            /** @description A guest token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["GuestToken"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401Variant2"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_an_array_of_strings`, `invalid_parameter`, `list_contains_invalid_entries`, `allowed_address_limit_exceeded`, `unrecognized_fabric_addresses`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_an_array_of_strings
                             * @enum {string}
                             */
                            code?: "not_an_array_of_strings" | "invalid_parameter" | "list_contains_invalid_entries" | "allowed_address_limit_exceeded" | "unrecognized_fabric_addresses" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listAddresses: {
        parameters: {
            query?: {
                /** @description Only addresses of this type. */
                type?: "room" | "subscriber";
                /**
                 * @description Only addresses of exactly this name.
                 * @example standup
                 */
                name?: string;
                /**
                 * @description Only addresses of exactly this display name.
                 * @example Daily stand-up
                 */
                display_name?: string;
                /** @description What orders the list. Without it, `created_at` does. */
                sort_by?: "created_at" | "name";
                /** @description Without it, times are listed newest first and names from A to Z. */
                sort_order?: "asc" | "desc";
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/fabric/addresses?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/fabric/addresses?page_number=0&page_size=50",
                     *         "next": "/api/fabric/addresses?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/fabric/addresses?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "standup",
                     *           "display_name": "Daily stand-up",
                     *           "type": "room",
                     *           "cover_url": "https://example.org/cover.png",
                     *           "preview_url": "https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8",
                     *           "locked": true,
                     *           "channels": {
                     *             "audio": "/public/standup?channel=audio",
                     *             "video": "/public/standup?channel=video"
                     *           },
                     *           "created_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AddressPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401Variant2"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant5"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something of the project that can be called. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "standup",
                     *       "display_name": "Daily stand-up",
                     *       "type": "room",
                     *       "cover_url": "https://example.org/cover.png",
                     *       "preview_url": "https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8",
                     *       "locked": true,
                     *       "channels": {
                     *         "audio": "/public/standup?channel=audio",
                     *         "video": "/public/standup?channel=video"
                     *       },
                     *       "created_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Address"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401Variant2"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listCalls: {
        parameters: {
            query?: {
                /** @description Only calls with this status. Calls are `in-progress` or `completed`; others match none. */
                Status?: "queued" | "ringing" | "in-progress" | "canceled" | "completed" | "busy" | "failed";
                /**
                 * @description Only calls of users of this name.
                 * @example Ada
                 */
                From?: string;
                /**
                 * @description Only calls to the room of this name.
                 * @example standup
                 */
                To?: string;
                /**
                 * @description Only screen shares and extra devices of the member with this call.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                ParentCallSid?: string;
                /** @description Only calls that began in this second, or on this day (UTC). */
                StartTime?: string;
                /** @description Only calls that began then or earlier. */
                "StartTime<"?: string;
                /** @description Only calls that began then or later. */
                "StartTime>"?: string;
                /** @description Only calls that ended in this second, or on this day (UTC). */
                EndTime?: string;
                /** @description Only calls that ended then or earlier. */
                "EndTime<"?: string;
                /** @description Only calls that ended then or later. */
                "EndTime>"?: string;
                /** @description Number of the page, from 0. Above 0 it needs the `PageToken` of a link. */
                Page?: number;
                /** @description How many calls a page has at most. */
                PageSize?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PAbm90aGluZw
                 */
                PageToken?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the project, the same as that of the credentials.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                account_sid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the list of calls. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uri": "/api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls?Page=0&PageSize=50",
                     *       "first_page_uri": "/api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls?Page=0&PageSize=50",
                     *       "next_page_uri": "/api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls?Page=1&PageSize=50&PageToken=PAbm90aGluZw",
                     *       "previous_page_uri": null,
                     *       "page": 0,
                     *       "page_size": 50,
                     *       "calls": [
                     *         {
                     *           "sid": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "account_sid": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "api_version": "2010-04-01",
                     *           "date_created": "Thu, 31 Jan 2030 09:30:00 +0000",
                     *           "date_updated": "Thu, 31 Jan 2030 09:30:00 +0000",
                     *           "parent_call_sid": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "to": "standup",
                     *           "formatted_to": "standup",
                     *           "to_formatted": "standup",
                     *           "from": "Ada",
                     *           "formatted_from": "Ada",
                     *           "from_formatted": "Ada",
                     *           "phone_number_sid": null,
                     *           "status": "in-progress",
                     *           "start_time": "Thu, 31 Jan 2030 09:30:00 +0000",
                     *           "end_time": "Thu, 31 Jan 2030 09:30:00 +0000",
                     *           "duration": 1260,
                     *           "price": 0.042,
                     *           "price_unit": "USD",
                     *           "direction": "inbound",
                     *           "answered_by": null,
                     *           "forwarded_from": null,
                     *           "caller_name": null,
                     *           "annotation": null,
                     *           "uri": "/api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls/0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11.json",
                     *           "subresource_uris": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CallPage"];
                };
            };
            400: components["responses"]["Error400Variant4"];
            401: components["responses"]["Error401Variant3"];
            403: components["responses"]["Error403Variant2"];
            404: components["responses"]["Error404Variant3"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `not_a_datetime`, `page_token_is_invalid`, `page_token_required`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompatibilityError"] & {
                        /**
                         * @example not_a_string
                         * @enum {string}
                         */
                        code?: "not_a_string" | "invalid_parameter" | "not_a_datetime" | "page_token_is_invalid" | "page_token_required";
                    };
                };
            };
            429: components["responses"]["Error429Variant2"];
            500: components["responses"]["Error500Variant2"];
            503: components["responses"]["Error503Variant2"];
        };
    };
    getCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project, the same as that of the credentials.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                account_sid: string;
                /**
                 * @description Id of the call; it may end in `.json`.
                 * @example 0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11
                 */
                sid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One client in a session: a member, viewer, screen share or extra device. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sid": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "account_sid": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "api_version": "2010-04-01",
                     *       "date_created": "Thu, 31 Jan 2030 09:30:00 +0000",
                     *       "date_updated": "Thu, 31 Jan 2030 09:30:00 +0000",
                     *       "parent_call_sid": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "to": "standup",
                     *       "formatted_to": "standup",
                     *       "to_formatted": "standup",
                     *       "from": "Ada",
                     *       "formatted_from": "Ada",
                     *       "from_formatted": "Ada",
                     *       "phone_number_sid": null,
                     *       "status": "in-progress",
                     *       "start_time": "Thu, 31 Jan 2030 09:30:00 +0000",
                     *       "end_time": "Thu, 31 Jan 2030 09:30:00 +0000",
                     *       "duration": 1260,
                     *       "price": 0.042,
                     *       "price_unit": "USD",
                     *       "direction": "inbound",
                     *       "answered_by": null,
                     *       "forwarded_from": null,
                     *       "caller_name": null,
                     *       "annotation": null,
                     *       "uri": "/api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls/0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11.json",
                     *       "subresource_uris": {}
                     *     }
                     */
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["Error400Variant4"];
            401: components["responses"]["Error401Variant3"];
            403: components["responses"]["Error403Variant2"];
            404: components["responses"]["Error404Variant3"];
            429: components["responses"]["Error429Variant2"];
            500: components["responses"]["Error500Variant2"];
            503: components["responses"]["Error503Variant2"];
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/messaging/messages?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/messaging/messages?page_number=0&page_size=50",
                     *         "next": "/api/messaging/messages?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/messaging/messages?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "from": "Ada",
                     *           "to": "standup",
                     *           "body": "Can you hear me?",
                     *           "status": "delivered",
                     *           "direction": "inbound",
                     *           "kind": "chat",
                     *           "media": [],
                     *           "number_of_segments": 1,
                     *           "error_code": null,
                     *           "error_message": null,
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "project_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "status_callback_url": null,
                     *           "message_uri": "/api/messaging/messages/0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that was written in a conference or room. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "from": "Ada",
                     *       "to": "standup",
                     *       "body": "Can you hear me?",
                     *       "status": "delivered",
                     *       "direction": "inbound",
                     *       "kind": "chat",
                     *       "media": [],
                     *       "number_of_segments": 1,
                     *       "error_code": null,
                     *       "error_message": null,
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "project_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "status_callback_url": null,
                     *       "message_uri": "/api/messaging/messages/0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11"
                     *     }
                     */
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The users of the project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "ada@example.org",
                     *           "role": "operator",
                     *           "signs_in_with": "password",
                     *           "last_sign_in_at": "2030-01-31T09:30:00Z",
                     *           "created_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Users"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Whom to add. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ada@example.org",
                 *       "role": "operator"
                 *     }
                 */
                "application/json": components["schemas"]["CreateUser"];
            };
        };
        responses: {
            /** @description A user with a one-time link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "ada@example.org",
                     *       "role": "operator",
                     *       "signs_in_with": "password",
                     *       "last_sign_in_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "link": "https://meet.example.org/sign-in#invitation=k2n1Vw0mB3qk7H3bqU0T6o5c8fYz1l2QmJr4xSgA9dE",
                     *       "link_expires_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["InvitedUser"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `value_not_unique`, `invalid_state`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "value_not_unique" | "invalid_state" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who may sign in to the project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "ada@example.org",
                     *       "role": "operator",
                     *       "signs_in_with": "password",
                     *       "last_sign_in_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What to change. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "operator"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateUser"];
            };
        };
        responses: {
            /** @description A person who may sign in to the project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "ada@example.org",
                     *       "role": "operator",
                     *       "signs_in_with": "password",
                     *       "last_sign_in_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `invalid_state`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "invalid_state";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    resetUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user with a one-time link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "ada@example.org",
                     *       "role": "operator",
                     *       "signs_in_with": "password",
                     *       "last_sign_in_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "link": "https://meet.example.org/sign-in#invitation=k2n1Vw0mB3qk7H3bqU0T6o5c8fYz1l2QmJr4xSgA9dE",
                     *       "link_expires_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["InvitedUser"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant11"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listApiTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API tokens of the project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "Back end",
                     *           "scopes": [
                     *             "video"
                     *           ],
                     *           "last_used_at": "2030-01-31T09:30:00Z",
                     *           "created_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ApiTokens"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createApiToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description What the token is for. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Back end",
                 *       "scopes": [
                 *         "video"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateApiToken"];
            };
        };
        responses: {
            /** @description A new API token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "Back end",
                     *       "scopes": [
                     *         "video"
                     *       ],
                     *       "last_used_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "token": "PT0123456789abcdef0123456789abcdef0123456789abcdef"
                     *     }
                     */
                    "application/json": components["schemas"]["FreshApiToken"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `not_an_array_of_strings`, `list_contains_invalid_entries`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "not_an_array_of_strings" | "list_contains_invalid_entries" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getApiToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An API token of the project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "Back end",
                     *       "scopes": [
                     *         "video"
                     *       ],
                     *       "last_used_at": "2030-01-31T09:30:00Z",
                     *       "created_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiToken"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    revokeApiToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/management/audit_entries?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/management/audit_entries?page_number=0&page_size=50",
                     *         "next": "/api/management/audit_entries?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/management/audit_entries?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "actor": {
                     *             "kind": "user",
                     *             "name": "ada@example.org"
                     *           },
                     *           "action": "api_token.revoke",
                     *           "target": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "details": {
                     *             "name": "Back end"
                     *           },
                     *           "created_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEntryPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who the caller is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "project": {
                     *         "id": "5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42",
                     *         "name": "First project"
                     *       },
                     *       "person": {
                     *         "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *         "name": "ada@example.org",
                     *         "role": "operator",
                     *         "has_password": true
                     *       },
                     *       "may": [
                     *         "read",
                     *         "operate"
                     *       ],
                     *       "csrf_token": "k2n1Vw0mB3qk7H3bqU0T6o5c8fYz1l2QmJr4xSgA9dE"
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getLiveFigures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happens in the project now, in numbers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rooms": 3,
                     *       "members": 12,
                     *       "audience": 40,
                     *       "recordings": 1,
                     *       "streams": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LiveFigures"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /**
                 * @description `day`: the last 24 hours. `month`: the last 30 days.
                 * @example day
                 */
                period?: "day" | "month";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Use of the project by hour, oldest first. The last hour is the one under way. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "start": "2030-01-31T09:30:00Z",
                     *       "member_minutes": [
                     *         0,
                     *         12.5
                     *       ],
                     *       "recorded_minutes": [
                     *         0,
                     *         12.5
                     *       ],
                     *       "streamed_minutes": [
                     *         0,
                     *         12.5
                     *       ],
                     *       "cost_in_dollars": [
                     *         0,
                     *         12.5
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant10"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getStorageUse: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Space that the recordings of the project take, and what is left. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recordings": 120,
                     *       "recordings_bytes": 52428800,
                     *       "free_bytes": 250000000000,
                     *       "total_bytes": 500000000000
                     *     }
                     */
                    "application/json": components["schemas"]["StorageUse"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listProblems: {
        parameters: {
            query?: {
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/dashboard/problems?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/dashboard/problems?page_number=0&page_size=50",
                     *         "next": "/api/dashboard/problems?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/dashboard/problems?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "project_id": "6f1f2c9e-5a60-4c8e-9d0e-2b6a54a9a001",
                     *           "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_recording_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_participant_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "level": "info",
                     *           "name": "room.started",
                     *           "payload": {
                     *             "reason": "left"
                     *           },
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "room_name": "board"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProblemPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant6"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    searchRecordings: {
        parameters: {
            query?: {
                /** @description Seconds for which the media link in `uri` is valid; 0 gives a link that has expired already. */
                media_ttl?: number;
                /**
                 * @description Only recordings of this room.
                 * @example board
                 */
                room_name?: string;
                /** @description Only recordings that were asked for then or later. */
                since?: string;
                /** @description Only recordings that were asked for before. */
                until?: string;
                /** @description Only recordings in this status. */
                status?: "recording" | "paused" | "processing" | "completed";
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/dashboard/recordings?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/dashboard/recordings?page_number=0&page_size=50",
                     *         "next": "/api/dashboard/recordings?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/dashboard/recordings?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "status": "recording",
                     *           "started_at": "2030-01-31T09:30:00Z",
                     *           "finished_at": "2030-01-31T09:30:00Z",
                     *           "duration": 734,
                     *           "size_in_bytes": 8123456,
                     *           "format": "video/mp4",
                     *           "cost_in_dollars": 0.024,
                     *           "uri": "https://meet.example.org/media/9d3f2c50/recordings/0c8f1c2b.mp4?expires=1896082200&signature=c2lnbmF0dXJl",
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "updated_at": "2030-01-31T09:30:00Z",
                     *           "room_name": "board",
                     *           "poster_uri": "https://meet.example.org/media/9d3f2c50/posters/0c8f1c2b.webp?expires=1896082200"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FoundRecordingPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_parameter`, `not_a_string`, `not_a_datetime`, `page_token_is_invalid`, `page_token_required`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example invalid_parameter
                             * @enum {string}
                             */
                            code?: "invalid_parameter" | "not_a_string" | "not_a_datetime" | "page_token_is_invalid" | "page_token_required";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getFoundRecording: {
        parameters: {
            query?: {
                /** @description Seconds for which the media link in `uri` is valid; 0 gives a link that has expired already. */
                media_ttl?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A recording, with its room and a picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "room_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "status": "recording",
                     *       "started_at": "2030-01-31T09:30:00Z",
                     *       "finished_at": "2030-01-31T09:30:00Z",
                     *       "duration": 734,
                     *       "size_in_bytes": 8123456,
                     *       "format": "video/mp4",
                     *       "cost_in_dollars": 0.024,
                     *       "uri": "https://meet.example.org/media/9d3f2c50/recordings/0c8f1c2b.mp4?expires=1896082200&signature=c2lnbmF0dXJl",
                     *       "created_at": "2030-01-31T09:30:00Z",
                     *       "updated_at": "2030-01-31T09:30:00Z",
                     *       "room_name": "board",
                     *       "poster_uri": "https://meet.example.org/media/9d3f2c50/posters/0c8f1c2b.webp?expires=1896082200"
                     *     }
                     */
                    "application/json": components["schemas"]["FoundRecording"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant7"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    countOldRecordings: {
        parameters: {
            query?: {
                /**
                 * @description Recordings that were finished before so many days.
                 * @example 90
                 */
                days?: number;
                /**
                 * @description Those of this room; absent for all rooms without a rule of their own.
                 * @example board
                 */
                room_name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a rule would delete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recordings": 12,
                     *       "bytes": 81234560
                     *     }
                     */
                    "application/json": components["schemas"]["OldRecordings"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `invalid_parameter`, `not_a_string`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example invalid_parameter
                             * @enum {string}
                             */
                            code?: "invalid_parameter" | "not_a_string";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    searchSessions: {
        parameters: {
            query?: {
                /**
                 * @description Only sessions of this room.
                 * @example board
                 */
                room_name?: string;
                /**
                 * @description Only sessions in which somebody of this name was, in small or capital letters.
                 * @example Ada Lovelace
                 */
                person?: string;
                /** @description Only sessions that began then or later. */
                since?: string;
                /** @description Only sessions that began before. */
                until?: string;
                /** @description Only sessions in this status. */
                status?: "in-progress" | "completed";
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/dashboard/room_sessions?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/dashboard/room_sessions?page_number=0&page_size=50",
                     *         "next": "/api/dashboard/room_sessions?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/dashboard/room_sessions?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "board",
                     *           "status": "completed",
                     *           "start_time": "2030-01-31T09:30:00Z",
                     *           "end_time": "2030-01-31T09:30:00Z",
                     *           "people": 4,
                     *           "recordings": 1,
                     *           "cost_in_dollars": 0.024
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FoundSessionPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `not_a_datetime`, `page_token_is_invalid`, `page_token_required`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "not_a_datetime" | "page_token_is_invalid" | "page_token_required";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listSessionQuality: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How the connections of the members of a session were. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "member_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "start_time": "2030-01-31T09:30:00Z",
                     *           "interval_ms": 10000,
                     *           "talking": [
                     *             12,
                     *             null,
                     *             14.5
                     *           ],
                     *           "round_trip_ms": [
                     *             12,
                     *             null,
                     *             14.5
                     *           ],
                     *           "jitter_ms": [
                     *             12,
                     *             null,
                     *             14.5
                     *           ],
                     *           "uplink_loss": [
                     *             12,
                     *             null,
                     *             14.5
                     *           ],
                     *           "downlink_loss": [
                     *             12,
                     *             null,
                     *             14.5
                     *           ],
                     *           "uplink_bitrate": [
                     *             12,
                     *             null,
                     *             14.5
                     *           ],
                     *           "downlink_bitrate": [
                     *             12,
                     *             null,
                     *             14.5
                     *           ],
                     *           "frame_rate": [
                     *             12,
                     *             null,
                     *             14.5
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionQualities"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listSessionNames: {
        parameters: {
            query?: {
                /**
                 * @description How the names begin. Names of people may be in small or capital letters.
                 * @example bo
                 */
                beginning?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A few names that sessions can be looked for by, in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rooms": [
                     *         "board"
                     *       ],
                     *       "people": [
                     *         "Bob"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionNames"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant10"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    searchRooms: {
        parameters: {
            query?: {
                /**
                 * @description Only those whose name or title begins so. Small and capital letters from A to Z count as the same.
                 * @example town
                 */
                beginning?: string;
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/dashboard/rooms?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/dashboard/rooms?page_number=0&page_size=50",
                     *         "next": "/api/dashboard/rooms?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/dashboard/rooms?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "town-hall",
                     *           "display_name": "Town hall",
                     *           "join_from": "2030-01-31T09:30:00Z",
                     *           "join_until": "2030-01-31T09:30:00Z",
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "active_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FoundRoomPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant5"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    searchConferences: {
        parameters: {
            query?: {
                /**
                 * @description Only those whose name or title begins so. Small and capital letters from A to Z count as the same.
                 * @example town
                 */
                beginning?: string;
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/dashboard/conferences?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/dashboard/conferences?page_number=0&page_size=50",
                     *         "next": "/api/dashboard/conferences?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/dashboard/conferences?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "town-hall",
                     *           "display_name": "Town hall",
                     *           "join_from": "2030-01-31T09:30:00Z",
                     *           "join_until": "2030-01-31T09:30:00Z",
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "active_session_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FoundRoomPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant5"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listLiveRooms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What runs now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 1,
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "board",
                     *           "display_name": "Board",
                     *           "start_time": "2030-01-31T09:30:00Z",
                     *           "preview_url": null,
                     *           "locked": false,
                     *           "layout": "grid-responsive",
                     *           "has_chat": true,
                     *           "people": 3,
                     *           "members": [
                     *             {
                     *               "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *               "name": "Ada",
                     *               "type": "member",
                     *               "audio_muted": false,
                     *               "video_muted": false,
                     *               "hand_raised": false,
                     *               "connection": "connected",
                     *               "quality": null
                     *             }
                     *           ],
                     *           "audience": 12,
                     *           "recording": null,
                     *           "streams": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LiveRooms"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getLiveRoom: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A room with a session in progress. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "board",
                     *       "display_name": "Board",
                     *       "start_time": "2030-01-31T09:30:00Z",
                     *       "preview_url": null,
                     *       "locked": false,
                     *       "layout": "grid-responsive",
                     *       "has_chat": true,
                     *       "people": 3,
                     *       "members": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "Ada",
                     *           "type": "member",
                     *           "audio_muted": false,
                     *           "video_muted": false,
                     *           "hand_raised": false,
                     *           "connection": "connected",
                     *           "quality": null
                     *         }
                     *       ],
                     *       "audience": 12,
                     *       "recording": null,
                     *       "streams": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LiveRoom"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    updateLiveRoom: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What changes for the rest of the session. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "locked": false,
                 *       "layout": "2x2"
                 *     }
                 */
                "application/json": components["schemas"]["LiveRoomChanges"];
            };
        };
        responses: {
            /** @description A room with a session in progress. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "name": "board",
                     *       "display_name": "Board",
                     *       "start_time": "2030-01-31T09:30:00Z",
                     *       "preview_url": null,
                     *       "locked": false,
                     *       "layout": "grid-responsive",
                     *       "has_chat": true,
                     *       "people": 3,
                     *       "members": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "name": "Ada",
                     *           "type": "member",
                     *           "audio_muted": false,
                     *           "video_muted": false,
                     *           "hand_raised": false,
                     *           "connection": "connected",
                     *           "quality": null
                     *         }
                     *       ],
                     *       "audience": 12,
                     *       "recording": null,
                     *       "streams": 1
                     *     }
                     */
                    "application/json": components["schemas"]["LiveRoom"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_boolean`, `not_a_string`, `invalid_parameter`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_boolean
                             * @enum {string}
                             */
                            code?: "not_a_boolean" | "not_a_string" | "invalid_parameter";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    endLiveRoom: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    muteInLiveRoom: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Whose microphone is turned off. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "member_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11"
                 *     }
                 */
                "application/json": components["schemas"]["Mute"];
            };
        };
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant4"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    writeToLiveRoom: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description A message into the chat of a room. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "The meeting ends in five minutes."
                 *     }
                 */
                "application/json": components["schemas"]["Announcement"];
            };
        };
        responses: {
            /** @description A message that was written into the chat of a room. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "text": "The meeting ends in five minutes.",
                     *       "from": "Ada"
                     *     }
                     */
                    "application/json": components["schemas"]["Announced"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant4"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    recordLiveRoom: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant11"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    stopRecordingLiveRoom: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    streamLiveRoom: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description Where the session is sent to until it ends. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "rtmps://live.example.com/app/key"
                 *     }
                 */
                "application/json": components["schemas"]["LiveStreamTarget"];
            };
        };
        responses: {
            /** @description What became of a stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "taken"
                     *     }
                     */
                    "application/json": components["schemas"]["LiveStreamResult"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `url_failed_to_parse`, `url_is_unsafe`, `exceeds_platform_stream_limit`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "url_failed_to_parse" | "url_is_unsafe" | "exceeds_platform_stream_limit" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    stopStreamsOfLiveRoom: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listStreams: {
        parameters: {
            query?: {
                /**
                 * @description Only streams in this state.
                 * @example live
                 */
                status?: "waiting" | "connecting" | "live" | "retrying";
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/dashboard/streams?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/dashboard/streams?page_number=0&page_size=50",
                     *         "next": "/api/dashboard/streams?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/dashboard/streams?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "kept": true,
                     *           "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "room_name": "board",
                     *           "room_session_id": null,
                     *           "destination": "rtmps://live.example.com/app/…",
                     *           "status": "live",
                     *           "live_since": "2030-01-31T09:30:00Z",
                     *           "retrying_since": "2030-01-31T09:30:00Z",
                     *           "last_error": null,
                     *           "reconnects": 0,
                     *           "created_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListedStreamPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant5"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getListedStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream, without the key of its destination. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "kept": true,
                     *       "room_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *       "room_name": "board",
                     *       "room_session_id": null,
                     *       "destination": "rtmps://live.example.com/app/…",
                     *       "status": "live",
                     *       "live_since": "2030-01-31T09:30:00Z",
                     *       "retrying_since": "2030-01-31T09:30:00Z",
                     *       "last_error": null,
                     *       "reconnects": 0,
                     *       "created_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ListedStream"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    startStream: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant8"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    stopStream: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            422: components["responses"]["Error422Variant8"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    testStream: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description What is tried. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "rtmps://live.example.com/app/key"
                 *     }
                 */
                "application/json": components["schemas"]["StreamTestTarget"];
            };
        };
        responses: {
            /** @description What became of a few seconds of test picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "taken",
                     *       "published_ms": 3000
                     *     }
                     */
                    "application/json": components["schemas"]["StreamTestResult"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `missing_required_parameter`, `not_a_string`, `invalid_parameter`, `url_failed_to_parse`, `url_is_unsafe`, `incompatible_parameters`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example missing_required_parameter
                             * @enum {string}
                             */
                            code?: "missing_required_parameter" | "not_a_string" | "invalid_parameter" | "url_failed_to_parse" | "url_is_unsafe" | "incompatible_parameters";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listLoggedRequests: {
        parameters: {
            query?: {
                /**
                 * @description Only requests with this method.
                 * @example POST
                 */
                method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
                /**
                 * @description Only requests that were answered with a status of this class.
                 * @example 4xx
                 */
                status?: "2xx" | "3xx" | "4xx" | "5xx";
                /**
                 * @description Only requests with this text in path, request id, name of the credentials or error code, in small or capital letters.
                 * @example room_tokens
                 */
                text?: string;
                /** @description Number of the page, from 0. Above 0 it needs the `page_token` of a link. */
                page_number?: number;
                /** @description How many items a page has at most. */
                page_size?: number;
                /**
                 * @description Place in the list, from a link of another page.
                 * @example PA5kZWFkYmVlZg
                 */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of a list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": {
                     *         "self": "/api/dashboard/requests?page_number=1&page_size=50&page_token=PA5kZWFkYmVlZg",
                     *         "first": "/api/dashboard/requests?page_number=0&page_size=50",
                     *         "next": "/api/dashboard/requests?page_number=2&page_size=50&page_token=PA5mZWVkYmVlZg",
                     *         "prev": "/api/dashboard/requests?page_number=0&page_size=50&page_token=PA5jYWZlYmFiZQ"
                     *       },
                     *       "data": [
                     *         {
                     *           "id": "417",
                     *           "request_id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "time": "2030-01-31T09:30:00Z",
                     *           "method": "POST",
                     *           "path": "/api/video/rooms?page_size=50",
                     *           "status": 201,
                     *           "duration_ms": 4.2,
                     *           "credential_kind": "api-token",
                     *           "credential_name": "ci",
                     *           "error_code": "not_unique_within_project"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LoggedRequestPage"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant5"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listMediaWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The media workers of the server, which all projects share. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "first_port": 40000,
                     *           "last_port": 40049,
                     *           "state": "ready",
                     *           "cpu": 0.4,
                     *           "event_loop_delay_ms": 4,
                     *           "rooms": 2,
                     *           "legs": 9,
                     *           "overload_step": "none"
                     *         }
                     *       ],
                     *       "processors": 8
                     *     }
                     */
                    "application/json": components["schemas"]["MediaWorkers"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getCheckup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `parley doctor` says about the server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "examined_at": "2030-01-31T09:30:00Z",
                     *       "data": [
                     *         {
                     *           "status": "ok",
                     *           "subject": "Disk space",
                     *           "detail": "250.0 GB free",
                     *           "advice": "Make room."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Checkup"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    startCheckup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `parley doctor` says about the server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "examined_at": "2030-01-31T09:30:00Z",
                     *       "data": [
                     *         {
                     *           "status": "ok",
                     *           "subject": "Disk space",
                     *           "detail": "250.0 GB free",
                     *           "advice": "Make room."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Checkup"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant8"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getServerVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What runs, and since when. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "0.2.0",
                     *       "node": "v24.11.0",
                     *       "platform": "linux x64",
                     *       "started_at": "2030-01-31T09:30:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ServerVersion"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration of the server as it was read at its start. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "PARLEY_PORT",
                     *           "value": "8443",
                     *           "source": "default",
                     *           "description": "TCP port for HTTPS."
                     *         }
                     *       ],
                     *       "unknown": [
                     *         "PARLEY_PROT"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listLogLines: {
        parameters: {
            query?: {
                /**
                 * @description Least severe level that is wanted.
                 * @example warn
                 */
                level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The end of the log, without secrets and control characters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "17",
                     *           "time": "2030-01-31T09:30:00Z",
                     *           "level": "warn",
                     *           "part": "http",
                     *           "message": "request failed",
                     *           "details": "{\"reqId\":\"req-1\"}"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ServerLogLines"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant10"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getDrain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the server is being emptied, for a restart without an interruption. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "draining": false,
                     *       "sessions": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Drain"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    setDrain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Whether the server takes new sessions. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "draining": false
                 *     }
                 */
                "application/json": components["schemas"]["SetDrain"];
            };
        };
        responses: {
            /** @description Whether the server is being emptied, for a restart without an interruption. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "draining": false,
                     *       "sessions": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Drain"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listBackups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The backups in the folder of the server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "folder": "/var/lib/parley/backups",
                     *       "free_bytes": 250000000000,
                     *       "running": false,
                     *       "copied_bytes": 0,
                     *       "problem": "There is no backup: the disk is full.",
                     *       "data": [
                     *         {
                     *           "name": "2030-01-31T09-30-00Z",
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "bytes": 52428800,
                     *           "version": "0.2.0"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Backups"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    startBackup: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The backups in the folder of the server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "folder": "/var/lib/parley/backups",
                     *       "free_bytes": 250000000000,
                     *       "running": false,
                     *       "copied_bytes": 0,
                     *       "problem": "There is no backup: the disk is full.",
                     *       "data": [
                     *         {
                     *           "name": "2030-01-31T09-30-00Z",
                     *           "created_at": "2030-01-31T09:30:00Z",
                     *           "bytes": 52428800,
                     *           "version": "0.2.0"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Backups"];
                };
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant8"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Who signs in. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ada@example.org",
                 *       "password": "four words nobody else has",
                 *       "project_id": "5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42"
                 *     }
                 */
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant10"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    listOwnSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions of a user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11",
                     *           "user_agent": "Mozilla/5.0",
                     *           "is_current": true,
                     *           "last_used_at": "2030-01-31T09:30:00Z",
                     *           "expires_at": "2030-01-31T09:30:00Z",
                     *           "created_at": "2030-01-31T09:30:00Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UserSessions"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    endOwnSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the resource.
                 * @example 9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400Variant3"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404Variant2"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A new password for oneself. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "four words nobody else has",
                 *       "password": "four words nobody else has"
                 *     }
                 */
                "application/json": components["schemas"]["ChangePassword"];
            };
        };
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant10"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    getSignInLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a one-time link invites to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "project": {
                     *         "id": "5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42",
                     *         "name": "First project"
                     *       },
                     *       "name": "ada@example.org",
                     *       "role": "operator"
                     *     }
                     */
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
            400: components["responses"]["Error400Variant2"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    acceptSignInLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description With what the user will sign in. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ada@example.org",
                 *       "password": "four words nobody else has"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptSignInLink"];
            };
        };
        responses: {
            /** @description It is done. There is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            /** @description The request can be read, but a value in it is not accepted. All that are wrong are told at once. Codes: `not_a_string`, `invalid_parameter`, `value_not_unique`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Errors"] & {
                        errors?: {
                            /**
                             * @example not_a_string
                             * @enum {string}
                             */
                            code?: "not_a_string" | "invalid_parameter" | "value_not_unique";
                        }[];
                    };
                };
            };
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createChatToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description What a member may do in which channels. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ttl": 60,
                 *       "channels": {
                 *         "news": {
                 *           "read": true
                 *         },
                 *         "lobby": {
                 *           "read": true,
                 *           "write": true
                 *         }
                 *       },
                 *       "member_id": "ada",
                 *       "state": {
                 *         "mood": "curious"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateChatToken"];
            };
        };
        responses: {
            /** @description A chat token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJIUzUxMiIsInR5cCI6IkNIVCJ9.eyJzdWIiOiI5ZDNmIn0.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["ChatToken"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant12"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    createPubSubToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes it safe to send the request again: see Trying again.
                 * @example 3f0c9a7e-create-standup
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description What a member may do in which channels. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ttl": 60,
                 *       "channels": {
                 *         "news": {
                 *           "read": true
                 *         },
                 *         "lobby": {
                 *           "read": true,
                 *           "write": true
                 *         }
                 *       },
                 *       "member_id": "ada",
                 *       "state": {
                 *         "mood": "curious"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateChatToken"];
            };
        };
        responses: {
            /** @description A chat token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJIUzUxMiIsInR5cCI6IkNIVCJ9.eyJzdWIiOiI5ZDNmIn0.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["ChatToken"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422Variant12"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
}
