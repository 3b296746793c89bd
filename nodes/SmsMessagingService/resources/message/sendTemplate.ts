import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Endpoint } from '../../operations/endpoint';
import type { BatchOperation } from '../../operations/operation';
import { readChosen, templateLocator } from '../../parameters/locators';
import { optionProperty } from '../../parameters/options';
import {
  PARAMETER_MODE,
  PARAMETERS_JSON,
  readTemplateParameters,
} from '../../parameters/templateParameters';
import type { SendDescription } from '../../sending/run';
import { sendMessages } from '../../sending/send';
import {
  phoneNumbersField,
  readSendAdaptation,
  readSignatureId,
  readUserData,
  senderField,
  sendOptions,
} from './fields';
import { templateInspector } from './inspection';

/** What the editor itself writes while a mapper has no fields. Any other default would close an open list. */
const NO_FIELDS = {
  mappingMode: 'defineBelow',
  value: {},
  matchingColumns: [],
  schema: [],
  attemptToConvertTypes: false,
  convertFieldsToString: false,
};

/** With the name: after a change of the credential, the same ID may be another template. */
const TEMPLATE_CHOICE = ['templateId.value', 'templateId.cachedResultName'];

/** A mapper that loads the parameters of the chosen template, and saves their names with the node. */
function parameterMapper(
  mode: 'fields' | 'input',
  texts: Pick<INodeProperties, 'builderHint' | 'description' | 'name'>,
): INodeProperties {
  return {
    displayName: 'Parameters',
    ...texts,
    type: 'resourceMapper',
    noDataExpression: true,
    // The editor shows a notice, and no fields, in a mode that it does not know.
    default: mode === 'fields' ? NO_FIELDS : { ...NO_FIELDS, mappingMode: 'input' },
    typeOptions: {
      loadOptionsDependsOn: TEMPLATE_CHOICE,
      resourceMapper: {
        resourceMapperMethod: mode === 'fields' ? 'getTemplateParameters' : 'getInputParameters',
        // In this mode the editor insists on required fields.
        mode: 'add',
        valuesLabel: 'Values',
        fieldWords: { singular: 'parameter', plural: 'parameters' },
        // A template without parameters is no error; a notice says so.
        hideNoDataError: true,
        supportAutoMap: false,
      },
    },
    displayOptions: { show: { parameterMode: [mode] } },
  };
}

const ENDPOINT: Endpoint = { path: '/sendsms/template/send' };

/** Send template SMS, the recommended way. Messages of many items share a request. */
export const sendTemplate: BatchOperation = {
  kind: 'batch',
  option: {
    name: 'Send Template SMS',
    value: 'sendTemplate',
    action: 'Send template SMS',
    description: 'Message one or many phone numbers with a reviewed template (recommended)',
  },
  endpoint: ENDPOINT,
  repetition: 'sends',
  properties: [
    // Above the template, because the editor closes an open list when the template's parameters arrive.
    senderField('Leave it empty if the template has one of its own.'),
    templateLocator,
    {
      displayName: 'Template Text',
      name: 'templateText',
      // Nothing reads this value. No other type of field shows a text that depends on another field.
      type: 'resourceMapper',
      noDataExpression: true,
      default: NO_FIELDS,
      description: 'The message as it arrives, for reading only',
      typeOptions: {
        loadOptionsDependsOn: [
          ...TEMPLATE_CHOICE,
          'signatureId.value',
          'signatureId.cachedResultName',
        ],
        resourceMapper: {
          resourceMapperMethod: 'getTemplateText',
          mode: 'add',
          fieldWords: { singular: 'template text', plural: 'template text' },
          hideNoDataError: true,
          supportAutoMap: false,
        },
      },
      displayOptions: { hide: { templateId: [''] } },
    },
    phoneNumbersField,
    optionProperty('parameterMode', PARAMETER_MODE),
    parameterMapper('fields', {
      name: 'parameters',
      builderHint: {
        propertyHint:
          'Pass { mappingMode: "defineBelow", value: { … } } with the names of the parameters in the text of the template, and text as values. For a template from an expression, use parameterMode "json". Do not use "input": only the editor can fill in what it needs.',
      },
      description: "The value of each of the template's parameters",
    }),
    parameterMapper('input', {
      name: 'inputParameters',
      description: "The names of the template's parameters, as the editor has loaded them",
    }),
    {
      ...PARAMETERS_JSON,
      type: 'json',
      default: '{}',
      description: 'Name and text of each parameter of the template',
      hint: 'For example {"code": "123456", "minutes": "5"}',
      displayOptions: { show: { parameterMode: ['json'] } },
    },
  ],
  options: sendOptions,
  run: (context) => sendMessages(context, SEND),
};

const SEND: SendDescription = {
  read: (item) => {
    const { user_data, phone_data } = readUserData(item);
    const params = readTemplateParameters(item);
    return {
      shared: {
        ...readSendAdaptation(ENDPOINT, item),
        fields: {
          template_id: readChosen(item, templateLocator),
          sms_sign_id: readSignatureId(item),
          user_data,
        },
      },
      // Messages with different parameter names never share a request: one set is probably wrong,
      // and the service refuses the whole batch.
      groupBy: Object.keys(params),
      message: (phoneNumber) => ({ phone_number: phoneNumber, params, phone_data }),
    };
  },
  body: (fields, messages) => ({ ...fields, messages }) as IDataObject,
  inspector: templateInspector,
  asked: ({ template_id: template }) => ({ task: 'template', names: { template } }),
};
