'use strict';

// n8n itself reads the "n8n" section of package.json; this entry point serves everyone else.
module.exports = {
  ...require('./dist/credentials/SmsMessagingServiceApi.credentials'),
  ...require('./dist/nodes/SmsMessagingService/SmsMessagingService.node'),
  ...require('./dist/nodes/SmsMessagingService/SmsMessagingServiceTrigger.node'),
};
